#pragma once

#include "jobs/cordon.h"
#include "jobs/gang.h"
#include "jobs/why.h"
#include "workers/working.h"

#include <QTest>

namespace drover::test {

// What the tests of gangs have in common: session 0 of a WorkerParty is the client, the others are workers.

inline jobs::JobSpec gangOf(int size)
{
    jobs::JobSpec spec = JobParty::spec();
    spec.gang = size;
    spec.array = jobs::GangSize{size}.upTo(0);
    return spec;
}

// Puts a worker under a cordon once it is the turn of this gang: which assembles, and lacks that worker's places.
inline jobs::JobId submitShortOf(WorkerParty &party, int worker, const jobs::JobSpec &gang)
{
    const jobs::JobId id = party.submit(gang);
    if (!party.world.runUntil([&] { return party.exists(party.layout.gang(id, 0)); }, std::chrono::seconds(10)))
        throw std::runtime_error("it is not its turn");
    party.run(jobs::cordon(party[0], party.layout, WorkerParty::nameOf(worker), jobs::Cordon()));
    return id;
}

inline void makeRoom(WorkerParty &party, int worker)
{
    party.run(jobs::uncordon(party[0], party.layout, WorkerParty::nameOf(worker)));
}

// All that the workers ran of this job.
inline std::vector<Execution> runsOf(const jobs::JobId &gang, const std::vector<const Working *> &workers)
{
    std::vector<Execution> runs;
    for (const Working *worker : workers) {
        for (const Execution &run : worker->witness()) {
            const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromLatin1(run.job));
            if (id && id->isTask() && id->array() == gang)
                runs.push_back(run);
        }
    }
    std::sort(runs.begin(), runs.end(), [](const Execution &a, const Execution &b) { return a.from < b.from; });
    return runs;
}

inline QString whyOf(WorkerParty &party, const jobs::JobId &id)
{
    QStringList texts;
    for (const jobs::Reason &reason : party.run(jobs::explain(party[0], party.layout, id)).reasons)
        texts.append(reason.what);
    return texts.join(u'\n');
}

inline void expectNothingLeft(WorkerParty &party)
{
    QCOMPARE(party.childrenOf(party.layout.gangs()), QByteArrayList());
    QCOMPARE(party.childrenOf(party.layout.queue("default")), QByteArrayList());
    QCOMPARE(party.childrenOf(party.layout.claims()), QByteArrayList());
}

} // namespace drover::test
