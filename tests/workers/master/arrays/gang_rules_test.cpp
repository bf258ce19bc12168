#include "text/quantity.h"
#include "workers/master/arrays/gang_rules.h"

#include <QTest>

using namespace drover;
using namespace std::chrono_literals;
using jobs::GangRounds;
using jobs::JobSpec;
using workers::GangRoundNode;
using Fate = GangRounds::Fate;

namespace {

JobSpec gangOf(int size)
{
    JobSpec spec;
    spec.gang = size;
    spec.maxAttempts = 2;
    return spec;
}

} // namespace

// What becomes of a gang's round, and of the gang after it.
class GangRulesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theFirstFailureDecides()
    {
        GangRounds rounds;
        rounds.round = 1;
        workers::decideFate(rounds, gangOf(3), {{3, {false, 0, 1s}}, {4, {false, 9, 5s}}, {5, {false, 7, 2s}}}, {});
        QCOMPARE(rounds.fate, Fate::Failed);
        QCOMPARE(rounds.rank, 2);
        QCOMPARE(rounds.code, 7);
    }

    void aDecisionStays()
    {
        GangRounds rounds;
        rounds.fate = Fate::Withdrawn;
        workers::decideFate(rounds, gangOf(2), {{0, {false, 9, 1s}}}, GangRoundNode::Lost{1, true});
        QCOMPARE(rounds.fate, Fate::Withdrawn);
    }

    // The others may have failed because it was stopped.
    void aMemberThatWasGivenBackTakesPrecedence()
    {
        GangRounds rounds;
        workers::decideFate(rounds, gangOf(2), {{0, {false, 9, 1s}}}, GangRoundNode::Lost{1, true});
        QCOMPARE(rounds.fate, Fate::Lost);
        QVERIFY(rounds.givenBack);
        QCOMPARE(rounds.rank, 1);
    }

    void aFailureTakesPrecedenceOverALostMember()
    {
        GangRounds rounds;
        workers::decideFate(rounds, gangOf(2), {{0, {false, 9, 1s}}}, GangRoundNode::Lost{1, false});
        QCOMPARE(rounds.fate, Fate::Failed);
    }

    void aRoundThatSucceededIsTheLast() { QVERIFY(!workers::roundAfter(GangRounds(), gangOf(2), 1s, 0)); }

    // The next worker would refuse it as well, or its owner does not want it anywhere.
    void aGangWhoseMemberIsRefusedEndsRefused()
    {
        JobSpec gang = gangOf(2);
        gang.retry.limit = 5;
        GangRounds rounds;
        workers::decideFate(rounds, gang, {{0, {true, 125, 2s}}, {1, {false, 125, 1s, true}}}, {});
        QVERIFY(!workers::roundAfter(rounds, gang, 3s, 0));
        const jobs::FinalRecord record = workers::recordOf(rounds, {"default", 7}, gang, 3s);
        QCOMPARE(record.outcome, jobs::FinalRecord::Outcome::Refused);
        QCOMPARE(record.reason, QStringLiteral("member 1 of 2 was refused"));
        QCOMPARE(record.exitCode(), 125);
        rounds.refused = false;
        QVERIFY(workers::roundAfter(rounds, gang, 3s, 0));
    }

    void aCancelledGangIsNotTriedAgain()
    {
        GangRounds rounds;
        rounds.fate = Fate::Lost;
        JobSpec gang = gangOf(2);
        QVERIFY(workers::roundAfter(rounds, gang, 1s, 0));
        gang.notes.cancelled = true;
        QVERIFY(!workers::roundAfter(rounds, gang, 1s, 0));
    }

    void lostRoundsAreAttempts()
    {
        GangRounds rounds;
        rounds.fate = Fate::Lost;
        const std::optional<GangRounds> next = workers::roundAfter(rounds, gangOf(2), 1s, 0);
        QVERIFY(next);
        QCOMPARE(next->round, 1);
        QCOMPARE(next->lost, 1);
        QCOMPARE(next->fate, Fate::Open);
        rounds.lost = 1;
        QVERIFY(!workers::roundAfter(rounds, gangOf(2), 1s, 0));
    }

    void givenBackRoundsAreForgivenAHundredTimes()
    {
        GangRounds rounds;
        rounds.fate = Fate::Lost;
        rounds.givenBack = true;
        rounds.lost = 1;
        rounds.returned = JobSpec::MaxForgiven - 1;
        const std::optional<GangRounds> next = workers::roundAfter(rounds, gangOf(2), 1s, 0);
        QVERIFY(next);
        QCOMPARE(next->returned, JobSpec::MaxForgiven);
        QCOMPARE(next->lost, 1);
        rounds.returned = JobSpec::MaxForgiven;
        QVERIFY(!workers::roundAfter(rounds, gangOf(2), 1s, 0));
    }

    void aWithdrawnGangLeavesItsPlacesToOthersForLongerAndLonger()
    {
        GangRounds rounds;
        rounds.fate = Fate::Withdrawn;
        rounds.patience = 60s;
        for (const std::chrono::seconds pause : {60s, 120s, 240s, 480s, 480s}) {
            const std::optional<GangRounds> next = workers::roundAfter(rounds, gangOf(2), 1000s, 0);
            QVERIFY(next);
            QCOMPARE(next->notBefore, 1000s + pause);
            rounds = *next;
            rounds.fate = Fate::Withdrawn;
        }
    }

    // A node may say anything, and eight times that does not fit into nanoseconds.
    void aPauseIsBounded()
    {
        GangRounds rounds;
        rounds.fate = Fate::Withdrawn;
        rounds.withdrawn = 100;
        rounds.patience = text::LastInstant;
        const std::optional<GangRounds> next = workers::roundAfter(rounds, gangOf(2), text::LastInstant, 0);
        QVERIFY(next);
        QCOMPARE(next->notBefore, text::LastInstant + 8 * 24h);
    }
};

QTEST_GUILESS_MAIN(GangRulesTest)
#include "gang_rules_test.moc"
