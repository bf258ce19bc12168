#include "workers/dispatch/claim_policy.h"
#include "workers/dispatch/session_load.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace std::chrono_literals;
using workers::Backfill;
using workers::Capacity;
using workers::ClaimedJob;
using workers::ClaimPolicy;
using workers::Decision;
using Situation = workers::ClaimPolicy::Situation;

namespace {

constexpr qint64 GiB = qint64(1024) * 1024 * 1024;

ClaimedJob plain()
{
    ClaimedJob job{{"default", 1}, {QueueEntry::Class::Ready, 5, 1}, {}, {}, {1, 0}, 0};
    job.spec.command = QStringList{QStringLiteral("true")};
    return job;
}

ClaimedJob wide(int slotCount)
{
    ClaimedJob job = plain();
    job.spec.needs.slots = slotCount;
    return job;
}

ClaimedJob locked(const char *lock)
{
    ClaimedJob job = plain();
    job.spec.locks = QStringList{QString::fromLatin1(lock)};
    return job;
}

ClaimedJob member()
{
    ClaimedJob job = plain();
    job.spec.gang = 2;
    return job;
}

ClaimedJob lastAttempt()
{
    ClaimedJob job = plain();
    job.spec.maxAttempts = 1;
    return job;
}

ClaimedJob limitedTo(std::chrono::milliseconds limit)
{
    ClaimedJob job = plain();
    job.spec.timeLimit = limit;
    job.spec.killGrace = 0ms;
    return job;
}

Situation freeSlots(int count, int of = 4)
{
    Capacity left(of, 4 * GiB, {QStringLiteral("gpu")});
    Needs used;
    used.slots = of - count;
    left.take(used);
    return {.left = left};
}

ClaimPolicy with(Situation situation)
{
    return ClaimPolicy(Layout("test"), std::move(situation));
}

} // namespace

class ClaimPolicyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aPlainJobTakesAFreeSlotAndTheNextIsPrefetched()
    {
        ClaimPolicy policy = with(freeSlots(1));
        QCOMPARE(policy.decide(plain(), false), Decision::Claim);
        QCOMPARE(policy.decide(plain(), false), Decision::Prefetch);
    }

    void aFreeSlotThatAClaimedJobWaitsForBeginsNoOther()
    {
        Situation situation = freeSlots(4);
        situation.slotsAreOurs = false;
        QCOMPARE(with(situation).decide(plain(), false), Decision::Prefetch);
    }

    void aJobBeyondTheWorkersCapacityIsUnsuitable()
    {
        ClaimPolicy policy = with(freeSlots(4));
        QCOMPARE(policy.decide(wide(5), true), Decision::Unsuitable);
        ClaimedJob large = plain();
        large.spec.needs.memory = 5 * GiB;
        QCOMPARE(policy.decide(large, true), Decision::Unsuitable);
        ClaimedJob labelled = plain();
        labelled.spec.needs.labels = QStringList{QStringLiteral("tape")};
        QCOMPARE(policy.decide(labelled, true), Decision::Unsuitable);
        labelled.spec.needs.labels = QStringList{QStringLiteral("gpu")};
        QCOMPARE(policy.decide(labelled, true), Decision::Claim);
    }

    void moreThanASessionMayEverHoldIsUnsuitable()
    {
        ClaimedJob heavy = plain();
        for (int i = 0; i < 10'000; ++i)
            heavy.spec.locks.append(QStringLiteral("a-lock-of-its-own-%1").arg(i));
        QCOMPARE(with(freeSlots(4)).decide(heavy, true), Decision::Unsuitable);
    }

    void aFullSessionHasNoRoomNow()
    {
        Situation situation = freeSlots(4);
        situation.sessionLoad = workers::SessionLoad::Most - 1;
        QCOMPARE(with(situation).decide(plain(), true), Decision::NoRoomNow);
    }

    void claimsAddToTheLoadOfTheSession()
    {
        Situation situation = freeSlots(4);
        const ClaimedJob job = plain();
        const qsizetype load = workers::SessionLoad::of(Layout("test"), job.id, job.spec, false);
        situation.sessionLoad = workers::SessionLoad::Most - load;
        ClaimPolicy policy = with(situation);
        QCOMPARE(policy.decide(job, false), Decision::Claim);
        QCOMPARE(policy.decide(job, false), Decision::NoRoomNow);
    }

    void aWideJobWithRoomWaitsForItsTransaction()
    {
        ClaimPolicy policy = with(freeSlots(4));
        QCOMPARE(policy.decide(wide(3), false), Decision::ClaimToWait);
        QCOMPARE(policy.decide(plain(), false), Decision::Claim);
        QCOMPARE(policy.decide(plain(), false), Decision::Prefetch); // the wide one has the other three
    }

    void aWideJobWithoutRoomIsLeftToOthersFirst()
    {
        QCOMPARE(with(freeSlots(1)).decide(wide(3), false), Decision::NoRoomNow);
        QCOMPARE(with(freeSlots(1)).decide(wide(3), true), Decision::ClaimToWait);
    }

    void oneJobWithoutRoomIsClaimedAtATime()
    {
        ClaimPolicy policy = with(freeSlots(1));
        QCOMPARE(policy.decide(wide(3), true), Decision::ClaimToWait);
        QCOMPARE(policy.decide(wide(2), true), Decision::NoRoomNow);
    }

    void behindALockTwoJobsWait()
    {
        ClaimPolicy policy = with(freeSlots(4));
        QCOMPARE(policy.decide(locked("db"), false), Decision::ClaimToWait);
        QCOMPARE(policy.decide(locked("db"), false), Decision::ClaimToWait);
        QCOMPARE(policy.decide(locked("db"), false), Decision::TooManyWait);
        QCOMPARE(policy.decide(locked("disk"), false), Decision::ClaimToWait);
    }

    void jobsThatWaitHereAlreadyCount()
    {
        Situation situation = freeSlots(4);
        situation.waiting.add({QStringLiteral("lock db")});
        situation.waiting.add({QStringLiteral("lock db")});
        QCOMPARE(with(situation).decide(locked("db"), false), Decision::TooManyWait);
    }

    void theLimitOfTheQueueMakesAJobWait()
    {
        Situation situation = freeSlots(4);
        situation.queueLimit = true;
        QCOMPARE(with(situation).decide(plain(), false), Decision::ClaimToWait);
    }

    void theLastAttemptIsCountedWhenItBegins()
    {
        QCOMPARE(with(freeSlots(4)).decide(lastAttempt(), false), Decision::ClaimToWait);
    }

    void aMemberOfAGangIsClaimed() { QCOMPARE(with(freeSlots(4)).decide(member(), false), Decision::Claim); }

    void membersThatWaitForRoomLeaveLessToTheNextMember()
    {
        Situation situation = freeSlots(2);
        situation.gangMembers = {Needs(), Needs()};
        ClaimPolicy policy = with(situation);
        QCOMPARE(policy.decide(member(), false), Decision::NoRoomNow);
        QCOMPARE(policy.decide(plain(), false), Decision::Claim); // they keep nothing from other jobs
    }

    void whereRoomIsKeptOnlyJobsThatEndInTimePass()
    {
        Situation situation = freeSlots(1);
        situation.backfill = Backfill(1min, std::nullopt);
        QCOMPARE(with(situation).decide(limitedTo(30s), false), Decision::Claim);
        QCOMPARE(with(situation).decide(limitedTo(90s), false), Decision::NoRoomNow);
        QCOMPARE(with(situation).decide(plain(), false), Decision::NoRoomNow);
    }

    void whereRoomIsKeptOnlyPlainJobsPassAndIntoFreeSlots()
    {
        Situation situation = freeSlots(1);
        situation.backfill = Backfill(1min, std::nullopt);
        ClaimedJob job = limitedTo(1s);
        job.spec.maxAttempts = 1;
        QCOMPARE(with(situation).decide(job, true), Decision::NoRoomNow);
        job = limitedTo(1s);
        job.spec.locks = QStringList{QStringLiteral("db")};
        QCOMPARE(with(situation).decide(job, true), Decision::NoRoomNow);
        ClaimPolicy policy = with(situation);
        QCOMPARE(policy.decide(limitedTo(1s), true), Decision::Claim);
        QCOMPARE(policy.decide(limitedTo(1s), true), Decision::NoRoomNow);
    }
};

QTEST_GUILESS_MAIN(ClaimPolicyTest)
#include "claim_policy_test.moc"
