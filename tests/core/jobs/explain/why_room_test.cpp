#include "core/jobs/explain/why_cluster.h"
#include "jobs/cluster/limits.h"
#include "jobs/explain/waits_for.h"
#include "jobs/model/gang.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// Jobs that nothing is wrong with, but that others have taken what they need.
class WhyRoomTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theHoldersOfALimitAreNamedAndCounted()
    {
        WhyCluster fake;
        fake.join("w1");
        const JobId holder = fake.submit();
        const JobId id = fake.submit();
        fake.claimAs("w1", holder);
        fake.claimAs("w1", id, QStringLiteral("limit licence"));
        fake.run(setLimit(fake.cluster(), "licence", 2));
        const zk::Path leases = fake.layout.limit("licence") / "leases";
        fake.stand(leases, "_c_x-lease-0000000000", holder.bytes());
        fake.stand(leases, "_c_y-lease-0000000001", "host9 process 7: ./simulate");
        fake.stand(leases, "_c_z-lease-0000000002", id.bytes());
        fake.settle(5s);
        QCOMPARE(fake.why(id),
                 QStringLiteral("worker w1 has claimed it and waits for limit licence: 2 of 2 permits are held, by "
                                "default-0 on host-of-w1 (worker w1) for 5s, `./simulate` (process 7 on host9) for "
                                "5s; drover limit set licence N"));
    }

    void theLimitOfAQueueNamesItsHolders()
    {
        WhyCluster fake;
        fake.join("w1");
        const JobId holder = fake.submit();
        const JobId id = fake.submit();
        fake.claimAs("w1", holder);
        fake.run(limitQueue(fake.cluster(), "default", 1));
        QCOMPARE(fake.reasons(id), QStringList{QStringLiteral("nothing keeps it: a worker is about to take it")});
        fake.stand(fake.layout.limit(Layout::limitOfQueue("default")) / "leases", "_c_x-lease-0000000000",
                   holder.bytes());
        fake.settle(5s);
        QCOMPARE(fake.why(id),
                 QStringLiteral("queue default allows 1 job at a time: default-0 on host-of-w1 (worker w1) for 5s; "
                                "drover queue limit default N"));
    }

    void aGangThatAssemblesKeepsTheSlots()
    {
        WhyCluster fake;
        fake.join("w1", 4);
        fake.elect();
        JobSpec spec = JobCluster::spec();
        spec.gang = 5;
        const JobId gang = fake.submitArray(spec, GangSize{5}.upTo(0), 5);
        for (int rank = 0; rank < 4; ++rank) {
            fake.claimAs("w1", {"default", gang.number, rank}, Claim::ItsGang);
            const QByteArray place = GangPlaceName{rank, 1}.name();
            fake.stand(fake.layout.gang(gang, 0), place.constData(), {});
        }
        fake.submit();
        const JobId id = fake.submit();
        QCOMPARE(
            fake.reasons(id),
            (QStringList{QStringLiteral("4 of the 4 slots of the workers that could run it are kept for gang "
                                        "default-0, which assembles"),
                         QStringLiteral("it needs 1 free slot, and all 4 of the workers that could run it are taken"),
                         QStringLiteral("2 jobs are ahead of it in queue default")}));
        QCOMPARE(fake.reasons(gang),
                 (QStringList{QStringLiteral("it assembles: 4 of 5 members have a place"),
                              QStringLiteral("default-0.4: it needs 1 free slot, and all 4 of the workers that could "
                                             "run it are taken")}));
    }

    void jobsThatNoWorkerTakesAreNotAhead()
    {
        WhyCluster fake;
        fake.join("w1");
        JobSpec labelled = JobCluster::spec();
        labelled.needs.labels = QStringList(QStringLiteral("gpu"));
        fake.submitSpec(labelled);
        JobSpec large = JobCluster::spec();
        large.needs.memory = qint64(100) << 30;
        fake.submitSpec(large);
        const JobId id = fake.submit();
        QCOMPARE(fake.reasons(id), QStringList{QStringLiteral("nothing keeps it: a worker is about to take it")});
    }

    void namesMissingSlotsAndMemory()
    {
        WhyCluster fake;
        fake.join("w1", 2, {}, qint64(4) << 30);
        JobSpec large = JobCluster::spec();
        large.needs.memory = qint64(3) << 30;
        const JobId running = fake.submitSpec(large);
        fake.claimAs("w1", running);
        const JobId plain = fake.submit();
        JobSpec wide = JobCluster::spec();
        wide.needs.slots = 2;
        const JobId id = fake.submitSpec(wide);
        QCOMPARE(fake.reasons(plain), QStringList{QStringLiteral("nothing keeps it: a worker is about to take it")});
        QCOMPARE(
            fake.reasons(id),
            (QStringList{QStringLiteral("it needs 2 free slots of one worker, and the most that one has is 1 (w1)"),
                         QStringLiteral("1 job is ahead of it in queue default")}));
        JobSpec second = JobCluster::spec();
        second.needs.memory = qint64(2) << 30;
        QCOMPARE(fake.reasons(fake.submitSpec(second)).front(),
                 QStringLiteral("it needs 2 GiB of memory, and the most that a worker has free is 1 GiB (w1)"));
        fake.claimAs("w1", plain);
        QCOMPARE(fake.reasons(id),
                 QStringList{QStringLiteral("it needs 2 free slots, and all 2 of the workers that could run it are "
                                            "taken")});
    }

    void eachListedJobNamesItsMissingMemory()
    {
        WhyCluster fake;
        fake.join("w1", 20, {}, qint64(10) << 30);
        JobSpec spec = JobCluster::spec();
        spec.needs.memory = qint64(9) << 30;
        fake.claimAs("w1", fake.submitSpec(spec));
        std::vector<JobView> listed;
        for (qint64 size = 2; size < 8; ++size) {
            spec.needs.memory = size << 30;
            listed.push_back(fake.run(lookUp(fake.cluster(), fake.submitSpec(spec))));
        }
        const QStringList texts = fake.run(waitsFor(fake.cluster(), listed));
        for (qsizetype i = 0; i < texts.size(); ++i)
            QCOMPARE(texts[i],
                     QStringLiteral("it needs %1 GiB of memory, and the most that a worker has free is 1 GiB (w1)")
                         .arg(i + 2));
        QCOMPARE(texts.size(), 6);
    }

    void freeCapacityIsKeptForTheJobThatWaitsForIt()
    {
        WhyCluster fake;
        fake.join("w1", 2);
        const JobId running = fake.submit();
        const JobId wide = fake.submit();
        const JobId id = fake.submit();
        fake.claimAs("w1", running);
        fake.claimAs("w1", wide, QStringLiteral("2 free slots"), 2);
        QCOMPARE(fake.reasons(id),
                 QStringList{QStringLiteral("free room on worker w1 is kept for default-1, which waits there for "
                                            "2 free slots")});
    }

    // They wait at their worker, and take no slot.
    void claimedJobsThatWaitDoNotRun()
    {
        WhyCluster fake;
        fake.join("w1", 2);
        for (int i = 0; i < 2; ++i)
            fake.claimAs("w1", fake.submit(), QStringLiteral("lock db"));
        const JobId id = fake.submit();
        QCOMPARE(fake.reasons(id), QStringList{QStringLiteral("nothing keeps it: a worker is about to take it")});
        fake.claimAs("w1", {"default", 0});
        fake.claimAs("w1", {"default", 1});
        QCOMPARE(fake.reasons(id),
                 QStringList{QStringLiteral("it needs 1 free slot, and all 2 of the workers that could run it are "
                                            "taken")});
    }
};

QTEST_GUILESS_MAIN(WhyRoomTest)
#include "why_room_test.moc"
