#include "jobs/model/job_notes.h"

#include <QTest>

using namespace drover;
using jobs::AttemptCount;

// The table in job_notes.h, row by row.
class AttemptCountTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void attemptsFollowFromTheVersionAndTheNotes_data()
    {
        using Notes = jobs::JobNotes;
        QTest::addColumn<qint32>("version");
        QTest::addColumn<Notes>("notes");
        QTest::addColumn<qint32>("claimVersion");
        QTest::addColumn<qint32>("number");
        QTest::newRow("never claimed") << 0 << Notes{} << 0 << 0;
        QTest::newRow("started at once") << 1 << Notes{} << 1 << 1;
        QTest::newRow("lost, and claimed again") << 2 << Notes{} << 2 << 2;
        QTest::newRow("returned before the start") << 2 << Notes{.returned = 1} << 2 << 0;
        QTest::newRow("returned, and claimed again") << 3 << Notes{.returned = 1} << 3 << 1;
        QTest::newRow("waits") << 1 << Notes{.pending = 1} << 1 << 0;
        QTest::newRow("waits, after one was lost") << 2 << Notes{.pending = 1} << 2 << 1;
        QTest::newRow("waits, after one that waited was lost") << 2 << Notes{.pending = 2} << 2 << 0;
        QTest::newRow("waited, and has started") << 2 << Notes{.pending = 1, .lastStarted = 1} << 1 << 1;
        QTest::newRow("waited, started, lost, claimed again") << 3 << Notes{.pending = 1, .lastStarted = 1} << 3 << 2;
        QTest::newRow("waited, returned before the start") << 2 << Notes{.returned = 1} << 2 << 0;
        QTest::newRow("waited, started, given back at a planned stop")
            << 3 << Notes{.returned = 1, .pending = 1, .lastStarted = 1} << 3 << 0;
        QTest::newRow("cancelled while it runs") << 2 << Notes{.cancelled = true} << 1 << 1;
        QTest::newRow("waited, started, cancelled while it runs")
            << 3 << Notes{.pending = 1, .lastStarted = 1, .cancelled = true} << 1 << 1;
        QTest::newRow("returned three times, started, cancelled")
            << 8 << Notes{.returned = 3, .cancelled = true} << 7 << 1;
    }

    void attemptsFollowFromTheVersionAndTheNotes()
    {
        QFETCH(qint32, version);
        QFETCH(jobs::JobNotes, notes);
        const AttemptCount count = AttemptCount::fromVersion(version, notes);
        QTEST(count.claimVersion, "claimVersion");
        QTEST(count.number(), "number");
    }

    void aClaimCountsTheStartThatIsToFollow()
    {
        QCOMPARE(AttemptCount::ofNextClaim(0, {}), (AttemptCount{1, 0}));
        QCOMPARE(AttemptCount::ofNextClaim(2, {}).number(), 3);
        QCOMPARE(AttemptCount::ofNextClaim(2, {.returned = 1}), (AttemptCount{3, 2}));
        QCOMPARE(AttemptCount::ofNextClaim(2, {.pending = 2}).number(), 1);
        QCOMPARE(AttemptCount::ofNextClaim(2, {.pending = 1, .lastStarted = 1}).number(), 2);
    }

    // As the claim has it and as the version has it, once the start or the return is written there.
    void theClaimAndTheVersionAgree()
    {
        const AttemptCount plain = AttemptCount::ofNextClaim(3, {.returned = 1});
        QCOMPARE(AttemptCount::fromVersion(4, {.returned = 1}), plain);
        QCOMPARE(AttemptCount::fromVersion(5, {.returned = 2}).number(), plain.afterReturn().number());
        QCOMPARE(AttemptCount::fromVersion(5, {.returned = 1, .pending = 1, .lastStarted = 4}), plain);
    }
};

QTEST_GUILESS_MAIN(AttemptCountTest)
#include "attempt_count_test.moc"
