#include "core/jobs/job_party.h"
#include "jobs/cancel.h"
#include "jobs/dedupe.h"
#include "support/fault_injector.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

constexpr quint64 Seeds = 400;
const QString Key = QStringLiteral("nightly");

JobSpec spec()
{
    JobSpec spec = JobParty::spec();
    spec.dedupe = Key;
    return spec;
}

JobId submit(JobParty &party, int who = 0)
{
    Submitter submitter(party[who], party.layout, {});
    return party.run(submitter.submit(spec()));
}

async::Task<void> submitInto(zk::Coordinator &zk, Layout layout, std::vector<JobId> &ids)
{
    Submitter submitter(zk, layout, {});
    const JobId id = co_await submitter.submit(spec());
    ids.push_back(id);
}

} // namespace

// A key of a queue stands for one job, whoever submits it and whatever gets lost.
class DedupeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theSecondIsTheFirst()
    {
        JobParty party;
        const JobId id = submit(party);
        QCOMPARE(submit(party), id);
        const DedupeMark mark = DedupeMark::decode(party.node(party.layout.dedupe("default", Key)).data);
        QCOMPARE(mark.id, id);
        party.run(cancel(party[0], party.layout, id));
        QCOMPARE(submit(party), id); // its record is there
        QVERIFY(party.childrenOf(party.layout.queue("default")).isEmpty());
    }

    void aForgottenJobFreesItsKey()
    {
        JobParty party;
        const JobId id = submit(party);
        party.run(cancel(party[0], party.layout, id));
        party.commit(zk::Transaction().remove(party.layout.done(id)));
        const JobId next = submit(party);
        QVERIFY(next != id);
        QCOMPARE(submit(party), next);
    }

    // The submitter was lost before it could note the id.
    void aMarkWithoutAnIdIsEnough()
    {
        JobParty party;
        const JobId id = submit(party);
        const zk::Path path = party.layout.dedupe("default", Key);
        const QString key = DedupeMark::decode(party.node(path).data).key;
        party.write(path, DedupeMark{key, std::nullopt}.encode());
        QCOMPARE(submit(party), id);
        QCOMPARE(party.childrenOf(party.layout.queue("default")).size(), 1);
    }

    void somebodyElsesMarkIsReplaced()
    {
        JobParty party;
        party.run(party[0].ensurePath(party.layout.dedupe("default")));
        party.write(party.layout.dedupe("default", Key), "nonsense");
        const JobId id = submit(party);
        QCOMPARE(submit(party), id);
    }

    void everyLossMakesOneJob()
    {
        int bitten = 0;
        for (const Fault fault : {Fault::LoseRequest, Fault::LoseReply}) {
            for (quint64 operation = 1;; ++operation) {
                FaultPlan plan;
                plan.scripted[operation] = fault;
                FaultInjector faults(plan);
                JobParty party(2, {.faults = &faults});
                const JobId id = submit(party, 1);
                QCOMPARE(submit(party), id);
                QCOMPARE(party.childrenOf(party.layout.queue("default")).size(), 1);
                if (faults.log().count(fault) == 0)
                    break;
                ++bitten;
            }
        }
        QVERIFY(bitten >= 10);
    }

    // Several at once, with every fault; the job may end meanwhile, and there may be the mark of one that is forgotten.
    void seededRacesMakeOneJob()
    {
        FaultLog all;
        for (quint64 seed = 1; seed <= Seeds; ++seed) {
            SeededRandom random(seed);
            const bool isOld = random.chance(0.5); // to see that it is forgotten takes many requests
            FaultInjector faults(FaultPlan::everything(seed, isOld ? 0.002 : 0.1));
            JobParty party(4, {.latency = 3ms, .faults = &faults});
            if (isOld) {
                const JobId old = submit(party);
                party.run(cancel(party[0], party.layout, old));
                party.commit(zk::Transaction().remove(party.layout.done(old)));
            }
            std::vector<JobId> ids;
            async::TaskGroup submitting([](const std::exception_ptr &) {}); // a session may end
            for (int who = 1; who <= 3; ++who) {
                submitting.spawn(submitInto(party[who], party.layout, ids));
                party.settle(std::chrono::milliseconds(random.below(20)));
            }
            if (random.chance(0.5)) {
                const QByteArrayList present = party.childrenOf(party.layout.queue("default"));
                if (!present.isEmpty())
                    party.run(cancel(party[0], party.layout, QueueEntry::parse(present.front())->idIn("default")));
            }
            party.settle(5min);
            QVERIFY(submitting.empty());
            faults.heal();
            const auto jobs =
                party.childrenOf(party.layout.queue("default")).size() + party.childrenOf(party.layout.done()).size();
            QVERIFY2(jobs <= 1 && jobs >= qsizetype(!ids.empty()), qPrintable(QString::number(seed)));
            for (const JobId &id : ids)
                QVERIFY2(id == ids.front(), qPrintable(QString::number(seed)));
            all.operations += faults.log().operations;
            for (std::size_t i = 0; i < all.counts.size(); ++i)
                all.counts[i] += faults.log().counts[i];
        }
        qInfo("%ls", qUtf16Printable(all.toString()));
        QVERIFY(all.count(Fault::LoseReply) > 0 && all.count(Fault::Expire) > 0 && all.count(Fault::Pause) > 0);
    }
};

QTEST_GUILESS_MAIN(DedupeTest)
#include "dedupe_test.moc"
