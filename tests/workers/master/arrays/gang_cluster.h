#pragma once

#include "jobs/cluster/cordon.h"
#include "jobs/explain/why.h"
#include "jobs/model/gang.h"
#include "workers/working.h"

#include <QTest>

namespace drover::test {

// What the tests of gangs have in common: session 0 of a WorkerCluster is the client, the others are workers.

inline jobs::JobSpec gangOf(int size)
{
    jobs::JobSpec spec = JobCluster::spec();
    spec.gang = size;
    spec.array = jobs::GangSize{size}.upTo(0);
    return spec;
}

// Puts a worker under a cordon once it is the turn of this gang: which assembles, and lacks that worker's places.
inline jobs::JobId submitShortOf(WorkerCluster &fake, int worker, const jobs::JobSpec &gang)
{
    const jobs::JobId id = fake.submit(gang);
    if (!fake.world.runUntil([&] { return fake.exists(fake.layout.gang(id, 0)); }, std::chrono::seconds(10)))
        throw std::runtime_error("it is not its turn");
    fake.run(jobs::cordon(jobs::Cluster(fake[0], fake.layout), WorkerCluster::nameOf(worker), jobs::Cordon()));
    return id;
}

inline void makeRoom(WorkerCluster &fake, int worker)
{
    fake.run(jobs::uncordon(jobs::Cluster(fake[0], fake.layout), WorkerCluster::nameOf(worker)));
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

inline QString whyOf(WorkerCluster &fake, const jobs::JobId &id)
{
    QStringList texts;
    for (const jobs::Reason &reason : fake.run(jobs::explain(jobs::Cluster(fake[0], fake.layout), id)).reasons)
        texts.append(reason.what);
    return texts.join(u'\n');
}

inline void expectNothingLeft(WorkerCluster &fake)
{
    QCOMPARE(fake.childrenOf(fake.layout.gangs()), QByteArrayList());
    QCOMPARE(fake.childrenOf(fake.layout.queue("default")), QByteArrayList());
    QCOMPARE(fake.childrenOf(fake.layout.claims()), QByteArrayList());
}

} // namespace drover::test
