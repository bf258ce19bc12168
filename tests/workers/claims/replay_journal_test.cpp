#include "async/qt_loop.h"
#include "support/await.h"
#include "support/co_check.h"
#include "support/run_task.h"
#include "workers/claims/replay_journal.h"

#include <QDir>
#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using workers::ReplayJournal;

class ReplayJournalTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aJobBeginsAsOftenAsItIsAllowed();
    void eachPartOfTheKeyCounts();
    void aStartIsKnownAfterARestart();
    void workersOfOneSpoolCountTogether();
    void notesThatComeTogetherCountOnceEach();
    void aStartThatDidNotHappenIsTakenBack();
    void aDamagedTailIsSkipped();
    void startsAreForgottenAfterTheirStartBy();
    void aWrongClockForgetsNoStart();
    void aSpoolThatCannotBeWrittenStartsNothing();
    void aFileThatCannotBeMadeShorterGoesOn();
    void theCallerMayDestroyTheJournal();

private:
    static ReplayJournal::Start start(const VirtualLoop &loop, const char *nonce, qint64 index = -1)
    {
        return {"serial", QByteArray(nonce), index,
                std::chrono::duration_cast<std::chrono::seconds>(loop.wallClock()) + 100s};
    }
    static QString file(const QTemporaryDir &spool) { return spool.filePath(QStringLiteral("replay-journal")); }
    static QByteArray contents(const QTemporaryDir &spool)
    {
        QFile journal(file(spool));
        return journal.open(QIODevice::ReadOnly) ? journal.readAll() : QByteArray();
    }
    static void append(const QTemporaryDir &spool, const QByteArray &bytes)
    {
        QFile journal(file(spool));
        QVERIFY(journal.open(QIODevice::Append) && journal.write(bytes) == bytes.size());
    }
    bool begin(ReplayJournal &journal, const ReplayJournal::Start &start, int most)
    {
        return runTask(m_loop, journal.begin(start, most));
    }

    // How many of these tasks of an array begin, all asked at once.
    int beginAll(ReplayJournal &journal, const char *nonce, int count)
    {
        int begun = 0;
        const auto one = [&](int index) -> async::Task<void> {
            const bool isFree = co_await journal.begin(start(m_loop, nonce, index), 1);
            begun += isFree ? 1 : 0;
        };
        async::TaskGroup all;
        for (int i = 0; i < count; ++i)
            all.spawn(one(i));
        runTask(m_loop, all.drained());
        return begun;
    }

    VirtualLoop m_loop;
};

void ReplayJournalTest::aJobBeginsAsOftenAsItIsAllowed()
{
    const QTemporaryDir spool;
    ReplayJournal journal(m_loop, spool.path());
    const ReplayJournal::Start job = start(m_loop, "n1");
    QVERIFY(begin(journal, job, 2));
    QVERIFY(begin(journal, job, 2));
    QVERIFY(!begin(journal, job, 2));
    QVERIFY(begin(journal, job, 3));
    QVERIFY(!begin(journal, start(m_loop, "n2"), 0));
    struct ::stat status {
    };
    QCOMPARE(::stat(QFile::encodeName(file(spool)).constData(), &status), 0);
    QCOMPARE(int(status.st_mode & 0777), 0600);
}

void ReplayJournalTest::eachPartOfTheKeyCounts()
{
    const QTemporaryDir spool;
    ReplayJournal journal(m_loop, spool.path());
    QVERIFY(begin(journal, start(m_loop, "n1", 0), 1));
    QVERIFY(begin(journal, start(m_loop, "n1", 1), 1));
    QVERIFY(begin(journal, start(m_loop, "n1"), 1));
    QVERIFY(begin(journal, start(m_loop, "n2", 0), 1));
    ReplayJournal::Start other = start(m_loop, "n1", 0);
    other.serial = "other";
    QVERIFY(begin(journal, other, 1));
    QVERIFY(!begin(journal, other, 1));
    QVERIFY(!begin(journal, start(m_loop, "n1", 1), 1));
}

void ReplayJournalTest::aStartIsKnownAfterARestart()
{
    const QTemporaryDir spool;
    {
        ReplayJournal journal(m_loop, spool.path());
        QVERIFY(begin(journal, start(m_loop, "n1"), 1));
    }
    ReplayJournal journal(m_loop, spool.path());
    QVERIFY(!begin(journal, start(m_loop, "n1"), 1));
    QVERIFY(begin(journal, start(m_loop, "n2"), 1));
}

void ReplayJournalTest::workersOfOneSpoolCountTogether()
{
    const QTemporaryDir spool;
    ReplayJournal one(m_loop, spool.path());
    ReplayJournal two(m_loop, spool.path());
    const ReplayJournal::Start job = start(m_loop, "n1");
    QVERIFY(begin(one, job, 3));
    QVERIFY(begin(two, job, 3));
    QVERIFY(begin(one, job, 3));
    QVERIFY(!begin(two, job, 3));
    QCOMPARE(beginAll(one, "many", 2500), 2500); // so many that it writes the file anew for the other
    QCOMPARE(beginAll(two, "many", 3000), 500);
    QCOMPARE(beginAll(one, "more", 5000), 5000);
    QCOMPARE(beginAll(two, "many", 3000), 0);
    QCOMPARE(beginAll(two, "more", 5000), 0);
    QVERIFY(!begin(one, job, 3));
}

void ReplayJournalTest::notesThatComeTogetherCountOnceEach()
{
    const QTemporaryDir spool;
    async::QtLoop loop;
    ReplayJournal one(loop, spool.path());
    ReplayJournal two(loop, spool.path());
    int begun = 0;
    const ReplayJournal::Start job = start(m_loop, "n1");
    const auto tryOnce = [&](ReplayJournal &journal) -> async::Task<void> {
        const bool isFree = co_await journal.begin(job, 5);
        begun += isFree ? 1 : 0;
    };
    const auto tryOften = [&]() -> async::Task<void> {
        async::TaskGroup all;
        for (int i = 0; i < 20; ++i)
            all.spawn(tryOnce(i % 2 == 0 ? one : two));
        co_await all.drained();
    };
    await(tryOften());
    QCOMPARE(begun, 5);
    QCOMPARE(contents(spool).count('\n'), 5);
}

void ReplayJournalTest::aStartThatDidNotHappenIsTakenBack()
{
    const QTemporaryDir spool;
    const auto journal = std::make_shared<ReplayJournal>(m_loop, spool.path());
    ReplayJournal other(m_loop, spool.path());
    const ReplayJournal::Start job = start(m_loop, "n1");
    const auto tryToBegin = [&](bool succeeds) {
        const bool isFree = begin(*journal, job, 2);
        workers::NotedStart noted(journal, job);
        noted.setMayHaveBegun(true); // it is on its way
        noted.setMayHaveBegun(succeeds || !isFree);
        return isFree;
    };
    for (int i = 0; i < 1500; ++i) // so many that it writes the file anew
        QVERIFY(tryToBegin(false));
    QVERIFY(contents(spool).size() < 1500 * 40);
    QVERIFY(tryToBegin(true));
    QVERIFY(tryToBegin(false));
    m_loop.runUntilIdle();
    QVERIFY(begin(other, job, 2));
    QVERIFY(!tryToBegin(true) && !begin(other, job, 2));
    other.takeBack(start(m_loop, "never noted"));
    m_loop.runUntilIdle();
    ReplayJournal restarted(m_loop, spool.path());
    QVERIFY(!begin(restarted, job, 2) && begin(restarted, start(m_loop, "never noted"), 1));
    QVERIFY(!begin(restarted, start(m_loop, "never noted"), 1));
}

void ReplayJournalTest::aDamagedTailIsSkipped()
{
    const QTemporaryDir spool;
    ReplayJournal journal(m_loop, spool.path());
    QVERIFY(begin(journal, start(m_loop, "n1"), 1));
    append(spool, QByteArray("b 99999 short\nno line\n\n\xff\0 b", 26));
    ReplayJournal again(m_loop, spool.path());
    QVERIFY(!begin(again, start(m_loop, "n1"), 1));
    QVERIFY(begin(again, start(m_loop, "n2"), 1));
    QVERIFY(!begin(journal, start(m_loop, "n2"), 1));
    ReplayJournal third(m_loop, spool.path());
    QVERIFY(!begin(third, start(m_loop, "n2"), 1));
}

void ReplayJournalTest::startsAreForgottenAfterTheirStartBy()
{
    const QTemporaryDir spool;
    ReplayJournal journal(m_loop, spool.path());
    QCOMPARE(beginAll(journal, "old", 900), 900);
    const qsizetype before = contents(spool).size();
    m_loop.runFor(101s + ReplayJournal::Slack);
    QCOMPARE(beginAll(journal, "new", 200), 200);
    QVERIFY(contents(spool).size() < before / 2);
    QCOMPARE(beginAll(journal, "new", 200), 0);
}

// The machine's clock jumps ahead by days. At first that is not measured, then it is.
void ReplayJournalTest::aWrongClockForgetsNoStart()
{
    const QTemporaryDir spool;
    zk::ServerClock clock(m_loop);
    ReplayJournal journal(m_loop, spool.path(), &clock);
    const std::chrono::milliseconds right = m_loop.wallClock();
    const ReplayJournal::Start first = start(m_loop, "first");
    QVERIFY(begin(journal, first, 1));
    m_loop.setWallClock(right + 24h * 8);
    QCOMPARE(beginAll(journal, "unmeasured", 1100), 1100);
    QVERIFY(!begin(journal, first, 1));
    clock.measured(m_loop.wallClock(), m_loop.wallClock(), right);
    QCOMPARE(beginAll(journal, "measured", 1100), 1100);
    QVERIFY(!begin(journal, first, 1));
}

void ReplayJournalTest::aSpoolThatCannotBeWrittenStartsNothing()
{
    QTemporaryDir spool;
    ReplayJournal journal(m_loop, spool.filePath(QStringLiteral("missing")));
    try {
        begin(journal, start(m_loop, "n1"), 1);
        QFAIL("it has begun");
    } catch (const ReplayJournal::Failed &error) {
        QVERIFY(QByteArray(error.what()).contains("missing/replay-journal: No such file or directory"));
    }
    QVERIFY(QFile::link(QStringLiteral("/dev/full"), file(spool))); // not through a link
    ReplayJournal linked(m_loop, spool.path());
    QVERIFY_THROWS_EXCEPTION(ReplayJournal::Failed, begin(linked, start(m_loop, "n1"), 1));
}

// The notes of that call are in the file. An error would have used up their starts.
void ReplayJournalTest::aFileThatCannotBeMadeShorterGoesOn()
{
    const QTemporaryDir spool;
    ReplayJournal journal(m_loop, spool.path());
    QVERIFY(QDir().mkpath(file(spool) + QStringLiteral(".new")));
    QTest::ignoreMessage(QtWarningMsg, QRegularExpression(QStringLiteral("cannot be made shorter")));
    QCOMPARE(beginAll(journal, "many", 1500), 1500);
    QCOMPARE(beginAll(journal, "many", 1600), 100);
    ReplayJournal restarted(m_loop, spool.path());
    QCOMPARE(beginAll(restarted, "many", 1700), 100);
}

void ReplayJournalTest::theCallerMayDestroyTheJournal()
{
    const QTemporaryDir spool;
    auto journal = std::make_unique<ReplayJournal>(m_loop, spool.path());
    const auto askOnce = [&]() -> async::Task<void> {
        const bool isFree = co_await journal->begin(start(m_loop, "n1"), 1);
        CO_VERIFY(isFree);
        journal.reset();
    };
    runTask(m_loop, askOnce());
    QVERIFY(!journal);
}

QTEST_GUILESS_MAIN(ReplayJournalTest)
#include "replay_journal_test.moc"
