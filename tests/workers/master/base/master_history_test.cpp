#include "core/jobs/job_cluster.h"
#include "workers/master/master.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using history::HistoryError;
using jobs::FinalRecord;
using jobs::JobId;
using workers::MasterHistory;

namespace {

// A process whose calls of a database do not return until the database recovers. It outlives the process.
class HangingCalls
{
public:
    void of(ProcessLoop &process)
    {
        process.setPool([this](const std::function<void()> &work) {
            if (hangs)
                m_works.push_back(work);
            else
                work();
        });
    }

    std::size_t pending() const { return m_works.size(); }
    void recover()
    {
        hangs = false;
        for (const std::function<void()> &work : std::exchange(m_works, {}))
            work();
    }

    bool hangs = true;

private:
    std::vector<std::function<void()>> m_works;
};

// A writer of one of the fake's processes, and how its last call ended.
class Writing
{
public:
    Writing(JobCluster &fake, int who, const history::Location &place)
        : m_layout(fake.layout), m_history(fake[who].loop(), place, history::OpenMode::Write),
          m_writer(jobs::Cluster(fake[who], fake.layout), m_history)
    {
    }

    void archive(int number)
    {
        end.clear();
        m_calls.spawn(call(number));
    }

    QString end; // empty: not yet

private:
    async::Task<void> call(int number)
    {
        history::ArchivedJob entry;
        entry.cluster = m_layout.clusterName();
        entry.record = FinalRecord::of({"default", number}, JobCluster::spec());
        history::ArchiveBatch batch;
        batch.cluster = m_layout.clusterName();
        batch.entries.push_back(entry);
        try {
            const qint64 rows = co_await m_writer.archive(std::move(batch));
            end = QStringLiteral("%1 rows").arg(rows);
        } catch (const HistoryError &error) {
            end = QString::fromUtf8(error.what());
        }
    }

    jobs::Layout m_layout;
    history::History m_history;
    MasterHistory m_writer;
    async::TaskGroup m_calls; // last: they use the others
};

} // namespace

// A database that does not answer, and what becomes of those who write into it.
class MasterHistoryTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_directory;
    history::Location placeOf(const QString &file) const
    {
        return history::Location::parse(m_directory.filePath(file));
    }

private Q_SLOTS:
    void aCallThatHangsIsGivenUpAndGoesOn()
    {
        const history::Location place = placeOf(QStringLiteral("one.sqlite"));
        HangingCalls database;
        JobCluster fake(2);
        database.of(fake.process(1));
        Writing writing(fake, 1, place);
        writing.archive(1);
        fake.settle(MasterHistory::WritePatience - 1s);
        QCOMPARE(writing.end, QString());
        fake.settle(2s);
        QVERIFY2(writing.end.endsWith(u"has not answered for 60 s"), qPrintable(writing.end));

        writing.archive(2);
        fake.settle();
        QVERIFY2(writing.end.endsWith(u"has not answered for 60 s"), qPrintable(writing.end)); // at once
        QCOMPARE(database.pending(), 1u);

        database.recover();
        fake.settle();
        writing.archive(3);
        fake.settle();
        QCOMPARE(writing.end, QStringLiteral("1 rows"));
        history::Store onlooker(place, history::OpenMode::Read);
        QCOMPARE(onlooker.count({.ids = {{"default", 1}}}), 1); // the one that was given up has ended, too
        QCOMPARE(onlooker.count({}), 2);
    }

    // So no other process writes while the writer may still be at work.
    void aHungWriteKeepsTheLockUntilItEnds()
    {
        const history::Location place =
            history::Location::parse(QStringLiteral("shared:") + m_directory.filePath(QStringLiteral("two.sqlite")));
        HangingCalls database;
        JobCluster fake(3);
        database.of(fake.process(1));
        Writing first(fake, 1, place);
        Writing second(fake, 2, place);
        first.archive(1);
        fake.settle(MasterHistory::WritePatience + 1s);
        QVERIFY2(first.end.endsWith(u"has not answered for 60 s"), qPrintable(first.end));
        second.archive(2);
        fake.settle(MasterHistory::WritePatience + 1s);
        QVERIFY2(second.end.startsWith(u"the write lock of the history"), qPrintable(second.end));
        QVERIFY2(second.end.endsWith(u"was not free for 60 s"), qPrintable(second.end));

        second.archive(3);
        fake.settle(10s);
        QCOMPARE(second.end, QString());
        database.recover();
        fake.settle(1s);
        QCOMPARE(second.end, QStringLiteral("1 rows"));
        QCOMPARE(history::Store(place, history::OpenMode::Read).count({}), 2); // the first and the third
        QCOMPARE(fake.childrenOf(fake.layout.historyLock()), QByteArrayList());
    }

    void doneStopsAtItsCapAndFallsAgain()
    {
        constexpr int Cap = 20;
        const history::Location place = placeOf(QStringLiteral("three.sqlite"));
        HangingCalls database;
        JobCluster fake(2);
        database.of(fake.process(1));
        fake.write(fake.layout.config(), R"({"v":1,"done_limit":20,"history_when_away":"drop"})");
        int jobs = 0;
        const auto finish = [&](int count) {
            for (const int last = jobs + count; jobs < last;) {
                const JobId id{"default", ++jobs};
                FinalRecord record = FinalRecord::of(id, JobCluster::spec());
                record.key = id.toString(); // who waits for it finds it there for a while
                fake.write(fake.layout.done(id), record.encode());
            }
        };
        const auto left = [&] { return fake.childrenOf(fake.layout.done()).size(); };
        const auto stats = [&] { return *jobs::ClusterStats::decode(fake.node(fake.layout.stats()).data).archive; };
        history::History own(fake[1].loop(), place, history::OpenMode::Write);
        workers::Master master(jobs::Cluster(fake[1], fake.layout), "w1", &own);
        async::TaskGroup leading([](const std::exception_ptr &) {});
        leading.spawn(master.run());

        finish(Cap - 5);
        fake.settle(MasterHistory::WritePatience + 10s);
        QVERIFY2(stats().error.endsWith(u"has not answered for 60 s"), qPrintable(stats().error));
        QVERIFY(stats().failingSince.count() > 0);
        QCOMPARE(stats().backlog, Cap - 5);
        QCOMPARE(left(), Cap - 5);
        for (int i = 1; i <= 5; ++i) {
            finish(10);
            fake.settle(60s);
            QCOMPARE(left(), Cap);
            QCOMPARE(stats().lost, 10 * i - 5);
        }
        QCOMPARE(database.pending(), 1u); // however often it was tried

        database.recover();
        fake.settle(40s); // its longest pause
        QCOMPARE(stats().error, QString());
        QCOMPARE(stats().backlog, 0);
        QCOMPARE(stats().lost, 45);
        history::Store onlooker(place, history::OpenMode::Read);
        for (int number = jobs - Cap + 1; number <= jobs; ++number)
            QCOMPARE(onlooker.count({.ids = {{"default", number}}}), 1);
        fake.settle(workers::Archiver::Linger + 5s);
        QCOMPARE(left(), 0);
    }
};

QTEST_GUILESS_MAIN(MasterHistoryTest)
#include "master_history_test.moc"
