#include "core/jobs/why_party.h"
#include "jobs/gang.h"
#include "jobs/limits.h"

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
    void whoHoldsALimitIsNamedAndCounted()
    {
        WhyParty party;
        party.join("w1");
        const JobId holder = party.submit();
        const JobId id = party.submit();
        party.claimAs("w1", holder);
        party.claimAs("w1", id, QStringLiteral("limit licence"));
        party.run(setLimit(party[0], party.layout, "licence", 2));
        const zk::Path leases = party.layout.limit("licence") / "leases";
        party.stand(leases, "_c_x-lease-0000000000", holder.bytes());
        party.stand(leases, "_c_y-lease-0000000001", "host9 process 7: ./simulate");
        party.stand(leases, "_c_z-lease-0000000002", id.bytes());
        party.settle(5s);
        QCOMPARE(party.why(id),
                 QStringLiteral("worker w1 has claimed it and waits for limit licence: 2 of 2 permits are held, by "
                                "default-0 on host-of-w1 (worker w1) for 5 s, `./simulate` (process 7 on host9) for "
                                "5 s; drover limit set licence N"));
    }

    void theLimitOfAQueueNamesWhoHasIt()
    {
        WhyParty party;
        party.join("w1");
        const JobId holder = party.submit();
        const JobId id = party.submit();
        party.claimAs("w1", holder);
        party.run(limitQueue(party[0], party.layout, "default", 1));
        QCOMPARE(party.reasons(id), QStringList{QStringLiteral("nothing keeps it: a worker is about to take it")});
        party.stand(party.layout.limit(Layout::limitOfQueue("default")) / "leases", "_c_x-lease-0000000000",
                    holder.bytes());
        party.settle(5s);
        QCOMPARE(party.why(id),
                 QStringLiteral("queue default allows 1 job at a time: default-0 on host-of-w1 (worker w1) for 5 s; "
                                "drover queue limit default N"));
    }

    void aGangThatAssemblesKeepsTheSlots()
    {
        WhyParty party;
        party.join("w1", 4);
        party.elect();
        JobSpec spec = JobParty::spec();
        spec.gang = 5;
        const JobId gang = party.submitArray(spec, GangSize{5}.upTo(0), 5);
        for (int rank = 0; rank < 4; ++rank) {
            party.claimAs("w1", {"default", gang.number, rank}, Claim::ItsGang);
            const QByteArray place = GangPlaceName{rank, 1}.name();
            party.stand(party.layout.gang(gang, 0), place.constData(), {});
        }
        party.submit();
        const JobId id = party.submit();
        QCOMPARE(
            party.reasons(id),
            (QStringList{QStringLiteral("4 of the 4 slots of the workers that could run it are kept for gang "
                                        "default-0, which assembles"),
                         QStringLiteral("it needs 1 free slot, and all 4 of the workers that could run it are taken"),
                         QStringLiteral("2 jobs are ahead of it in queue default")}));
        QCOMPARE(party.reasons(gang),
                 (QStringList{QStringLiteral("it assembles: 4 of 5 members have a place"),
                              QStringLiteral("default-0.4: it needs 1 free slot, and all 4 of the workers that could "
                                             "run it are taken")}));
    }

    void jobsThatNoWorkerTakesAreNotAhead()
    {
        WhyParty party;
        party.join("w1");
        JobSpec labelled = JobParty::spec();
        labelled.needs.labels = QStringList(QStringLiteral("gpu"));
        party.submitSpec(labelled);
        JobSpec large = JobParty::spec();
        large.needs.memory = qint64(100) << 30;
        party.submitSpec(large);
        const JobId id = party.submit();
        QCOMPARE(party.reasons(id), QStringList{QStringLiteral("nothing keeps it: a worker is about to take it")});
    }

    void theRoomThatIsMissing()
    {
        WhyParty party;
        party.join("w1", 2, {}, qint64(4) << 30);
        JobSpec large = JobParty::spec();
        large.needs.memory = qint64(3) << 30;
        const JobId running = party.submitSpec(large);
        party.claimAs("w1", running);
        const JobId plain = party.submit();
        JobSpec wide = JobParty::spec();
        wide.needs.slots = 2;
        const JobId id = party.submitSpec(wide);
        QCOMPARE(party.reasons(plain), QStringList{QStringLiteral("nothing keeps it: a worker is about to take it")});
        QCOMPARE(
            party.reasons(id),
            (QStringList{QStringLiteral("it needs 2 free slots of one worker, and the most that one has is 1 (w1)"),
                         QStringLiteral("1 job is ahead of it in queue default")}));
        JobSpec second = JobParty::spec();
        second.needs.memory = qint64(2) << 30;
        QCOMPARE(party.reasons(party.submitSpec(second)).front(),
                 QStringLiteral("it needs 2048 MiB of memory, and the most that a worker has free is 1024 MiB (w1)"));
        party.claimAs("w1", plain);
        QCOMPARE(party.reasons(id),
                 QStringList{QStringLiteral("it needs 2 free slots, and all 2 of the workers that could run it are "
                                            "taken")});
    }

    void whatGetsFreeIsKeptForWhoWaitsForIt()
    {
        WhyParty party;
        party.join("w1", 2);
        const JobId running = party.submit();
        const JobId wide = party.submit();
        const JobId id = party.submit();
        party.claimAs("w1", running);
        party.claimAs("w1", wide, QStringLiteral("2 free slots"), 2);
        QCOMPARE(party.reasons(id),
                 QStringList{QStringLiteral("what gets free on worker w1 is kept for default-1, which waits there for "
                                            "2 free slots")});
    }

    // They wait at their worker, and take no slot.
    void claimedJobsThatWaitDoNotRun()
    {
        WhyParty party;
        party.join("w1", 2);
        for (int i = 0; i < 2; ++i)
            party.claimAs("w1", party.submit(), QStringLiteral("lock db"));
        const JobId id = party.submit();
        QCOMPARE(party.reasons(id), QStringList{QStringLiteral("nothing keeps it: a worker is about to take it")});
        party.claimAs("w1", {"default", 0});
        party.claimAs("w1", {"default", 1});
        QCOMPARE(party.reasons(id),
                 QStringList{QStringLiteral("it needs 1 free slot, and all 2 of the workers that could run it are "
                                            "taken")});
    }
};

QTEST_GUILESS_MAIN(WhyRoomTest)
#include "why_room_test.moc"
