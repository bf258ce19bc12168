#include "core/jobs/job_cluster.h"
#include "jobs/client/cancel_job.h"
#include "jobs/client/dedupe.h"
#include "support/fake/fault_injector.h"

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
    JobSpec spec = JobCluster::spec();
    spec.dedupe = Key;
    return spec;
}

JobId submit(JobCluster &fake, int who = 0)
{
    Submitter submitter(fake.cluster(who), {});
    return fake.run(submitter.submit(spec()));
}

// As if the submitter had been lost before it could note the id.
void loseId(JobCluster &fake)
{
    const zk::Path mark = fake.layout.dedupe("default", Key);
    const QString key = DedupeMark::decode(fake.node(mark).data).key;
    fake.write(mark, DedupeMark{key, std::nullopt}.encode());
}

async::Task<void> submitInto(zk::Client &zk, Layout layout, std::vector<JobId> &ids)
{
    Submitter submitter(Cluster(zk, layout), {});
    const JobId id = co_await submitter.submit(spec());
    ids.push_back(id);
}

} // namespace

// A key of a queue stands for one job, for all submitters and whatever gets lost.
class DedupeTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theSecondIsTheFirst()
    {
        JobCluster fake;
        const JobId id = submit(fake);
        QCOMPARE(submit(fake), id);
        const DedupeMark mark = DedupeMark::decode(fake.node(fake.layout.dedupe("default", Key)).data);
        QCOMPARE(mark.id, id);
        fake.run(cancel(fake.cluster(), id));
        QCOMPARE(submit(fake), id); // its record is there
        QVERIFY(fake.childrenOf(fake.layout.queue("default")).isEmpty());
    }

    void aForgottenJobFreesItsKey()
    {
        JobCluster fake;
        const JobId id = submit(fake);
        fake.run(cancel(fake.cluster(), id));
        fake.commit(zk::Transaction().remove(fake.layout.done(id)));
        const JobId next = submit(fake);
        QVERIFY(next != id);
        QCOMPARE(submit(fake), next);
    }

    void aMarkWithoutAnIdIsEnough()
    {
        JobCluster fake;
        const JobId id = submit(fake);
        loseId(fake);
        QCOMPARE(submit(fake), id);
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")).size(), 1);
    }

    void aMarkIsOfAJobThatMayNotBeRead()
    {
        JobCluster fake;
        const JobId id = submit(fake);
        fake.setReadable(fake.pathOf(id), false);
        QVERIFY_THROWS_EXCEPTION(zk::AccessDenied, submit(fake));
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")).size(), 1);
        fake.setReadable(fake.pathOf(id), true);
        QCOMPARE(submit(fake), id);
    }

    // Its mark may be of any job that the submitter may not read.
    void aMarkWithoutAnIdIsOfAJobThatMayNotBeRead()
    {
        JobCluster fake;
        const JobId id = submit(fake);
        loseId(fake);
        fake.setReadable(fake.pathOf(id), false);
        QVERIFY_THROWS_EXCEPTION(zk::AccessDenied, submit(fake));
        QCOMPARE(fake.childrenOf(fake.layout.queue("default")).size(), 1);
        fake.setReadable(fake.pathOf(id), true);
        QCOMPARE(submit(fake), id);
    }

    void anUnreadableMarkIsReplaced()
    {
        JobCluster fake;
        fake.run(fake[0].ensurePath(fake.layout.dedupe("default")));
        fake.write(fake.layout.dedupe("default", Key), "nonsense");
        const JobId id = submit(fake);
        QCOMPARE(submit(fake), id);
    }

    void everyLossMakesOneJob()
    {
        int bitten = 0;
        for (const Fault fault : {Fault::LoseRequest, Fault::LoseReply, Fault::LateCommit}) {
            for (quint64 operation = 1;; ++operation) {
                FaultPlan plan;
                plan.behind = 1; // the next server
                plan.longestLag = 4s;
                plan.scripted[operation] = fault;
                FaultInjector faults(plan);
                JobCluster fake(2, {.faults = &faults});
                const JobId id = submit(fake, 1);
                QCOMPARE(submit(fake), id);
                QCOMPARE(fake.childrenOf(fake.layout.queue("default")).size(), 1);
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
            JobCluster fake(4, {.latency = 3ms, .faults = &faults});
            if (isOld) {
                const JobId old = submit(fake);
                fake.run(cancel(fake.cluster(), old));
                fake.commit(zk::Transaction().remove(fake.layout.done(old)));
            }
            std::vector<JobId> ids;
            async::TaskGroup submitting([](const std::exception_ptr &) {}); // a session may end
            for (int who = 1; who <= 3; ++who) {
                submitting.spawn(submitInto(fake[who], fake.layout, ids));
                fake.settle(std::chrono::milliseconds(random.below(20)));
            }
            if (random.chance(0.5)) {
                const QByteArrayList present = fake.childrenOf(fake.layout.queue("default"));
                if (!present.isEmpty())
                    fake.run(cancel(fake.cluster(), QueueEntry::parse(present.front())->idIn("default")));
            }
            fake.settle(5min);
            QVERIFY(submitting.empty());
            faults.heal();
            const auto jobs =
                fake.childrenOf(fake.layout.queue("default")).size() + fake.childrenOf(fake.layout.done()).size();
            QVERIFY2(jobs <= 1 && jobs >= qsizetype(!ids.empty()), qPrintable(QString::number(seed)));
            for (const JobId &id : ids)
                QVERIFY2(id == ids.front(), qPrintable(QString::number(seed)));
            all += faults.log();
        }
        qInfo("%ls", qUtf16Printable(all.toString()));
        QVERIFY(all.bitten(Fault::LoseReply) > 0 && all.bitten(Fault::Expire) > 0 && all.bitten(Fault::Pause) > 0);
    }
};

QTEST_GUILESS_MAIN(DedupeTest)
#include "dedupe_test.moc"
