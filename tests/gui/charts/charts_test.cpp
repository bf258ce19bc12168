#include "gui/charts/load_file.h"
#include "gui/charts/load_history.h"
#include "gui/charts/load_keeper.h"
#include "gui/charts/load_thinning.h"
#include "gui/charts/queue_loads.h"

#include <QDateTime>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QFileInfo>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace drover::gui;
using namespace std::chrono_literals;
using Measure = LoadHistory::Measure;

namespace {

constexpr qint64 Width = FreshWidth.count();
constexpr qint64 Minute = 60'000;
constexpr qint64 Hour = 60 * Minute;
constexpr qint64 Now = 1'800'000'000'000; // a whole quarter of an hour

LoadSample sampleAt(qint64 at, qint64 ready = 3)
{
    return {.at = at, .width = Width, .ready = ready, .running = 2, .submitted = 1, .ended = 1};
}

std::vector<LoadSample> samplesOf(qint64 from, qint64 until)
{
    std::vector<LoadSample> samples;
    for (qint64 at = from; at < until; at += Width)
        samples.push_back(sampleAt(at));
    return samples;
}

qint64 endedIn(const std::vector<LoadSample> &samples)
{
    qint64 sum = 0;
    for (const LoadSample &sample : samples)
        sum += sample.ended;
    return sum;
}

} // namespace

// How busy the cluster was: sampled, thinned with age, and kept across restarts.
class ChartsTest : public QObject
{
    Q_OBJECT

    QTemporaryDir m_scratch;
    QString newPath() const
    {
        static int number = 0;
        return m_scratch.filePath(QStringLiteral("drover-%1/charts.sqlite").arg(++number));
    }

private Q_SLOTS:
    void oldSamplesGrowWide()
    {
        const std::vector<LoadSample> all = samplesOf(Now - 60 * Hour, Now);
        const std::vector<LoadSample> kept = keptAt(Now, all);
        QCOMPARE(endedIn(kept), endedIn(all)); // no job is lost
        QCOMPARE(kept.front().width, 15 * Minute);
        QCOMPARE(kept.back().width, Width);
        QVERIFY2(kept.size() < 8000, qPrintable(QString::number(kept.size())));
        QCOMPARE(kept.front().ready, 3);
        for (std::size_t i = 1; i < kept.size(); ++i)
            QCOMPARE(kept[i].at, kept[i - 1].end());
        QCOMPARE(keptAt(Now, kept), kept); // there is nothing more to be done
        QVERIFY(keptAt(Now + 24 * 31 * Hour, all).empty());
    }

    // An outage of a minute is still there when the samples beside it have grown.
    void anOutageStaysAGap()
    {
        std::vector<LoadSample> samples = samplesOf(Now - 50 * Hour, Now - 50 * Hour + 5 * Minute);
        const std::vector<LoadSample> after = samplesOf(Now - 50 * Hour + 6 * Minute, Now - 50 * Hour + 10 * Minute);
        samples.insert(samples.end(), after.begin(), after.end());
        const std::vector<LoadSample> kept = keptAt(Now, samples);
        QCOMPARE(kept.size(), 2);
        QCOMPARE(kept[0].end(), Now - 50 * Hour + 5 * Minute);
        QCOMPARE(kept[1].at, Now - 50 * Hour + 6 * Minute);
    }

    void samplesWhatIsShown()
    {
        qint64 now = Now;
        LoadHistory load([&now] { return now; });
        QSignalSpy sampled(&load, &LoadHistory::sampled);
        const auto tick = [&] {
            now += Width;
            load.sample();
        };
        tick();
        QVERIFY(sampled.empty()); // nothing is known
        load.setConnected(true);
        QueueDepth queue{"default", 5};
        queue.ready = 4;
        queue.running = 1;
        queue.came = 100;
        load.show({queue});
        queue.came = 106;
        queue.left = 2;
        load.show({queue, {"gpu", 0}});
        tick();
        QCOMPARE(sampled.size(), 1);
        const auto sample = sampled.front().front().value<LoadSample>();
        QCOMPARE(sample,
                 (LoadSample{.at = now - Width, .width = Width, .ready = 4, .running = 1, .submitted = 6, .ended = 2}));
        tick();
        QCOMPARE(load.points(Measure::Ready).back(), (ChartPoint{now, 4}));
        QCOMPARE(load.points(Measure::Submitted).back().value, ChartPoint::Unknown); // of so short a time
        tick();
        QCOMPARE(load.points(Measure::Submitted).back().value, 24); // six in a quarter of a minute
        // While there is no connection nothing is known, and what the feed had counted begins anew.
        load.setConnected(false);
        tick();
        tick();
        load.setConnected(true);
        queue.came = 1;
        load.show({queue});
        tick();
        QCOMPARE(load.samples().back().submitted, 0);
        const std::vector<ChartPoint> points = load.points(Measure::Ready);
        const auto isGap = [](const ChartPoint &point) { return point.value < 0; };
        QCOMPARE(std::count_if(points.begin(), points.end(), isGap), 1);
        // A machine that slept an hour has not seen that hour.
        const std::size_t before = load.samples().size();
        now += Hour;
        load.sample();
        QCOMPARE(load.samples().size(), before);
        // Another cluster has other samples.
        load.clear();
        QVERIFY(load.points(Measure::Ended).empty());
    }

    void theFileKeepsEachCluster()
    {
        const QString path = newPath();
        {
            LoadFile file(path);
            file.add(u"a"_qs, {sampleAt(Now), sampleAt(Now + Width, 9)});
            file.add(u"b"_qs, {sampleAt(Now, 7)});
            file.add(u"a"_qs, {sampleAt(Now, 1)}); // another console has sampled it already
        }
        LoadFile again(path);
        QCOMPARE(again.samples(u"a"_qs), (std::vector<LoadSample>{sampleAt(Now), sampleAt(Now + Width, 9)}));
        QCOMPARE(again.samples(u"b"_qs), (std::vector<LoadSample>{sampleAt(Now, 7)}));
        QVERIFY(again.samples(u"c"_qs).empty());
        QCOMPARE(QFileInfo(path).permissions() & (QFile::ReadGroup | QFile::ReadOther), QFile::Permissions());
        again.thin(Now + 24 * 31 * Hour);
        QVERIFY(again.samples(u"a"_qs).empty());
    }

    void aNewerFileIsLeftAlone()
    {
        const QString path = newPath();
        {
            LoadFile made(path);
            QSqlDatabase database = QSqlDatabase::addDatabase(u"QSQLITE"_qs, u"newer"_qs);
            database.setDatabaseName(path);
            QVERIFY(database.open());
            QVERIFY(QSqlQuery(database).exec(u"PRAGMA user_version = 2"_qs));
        }
        QSqlDatabase::removeDatabase(u"newer"_qs);
        const QStringList before = QSqlDatabase::connectionNames();
        QVERIFY_THROWS_EXCEPTION(SqliteError, LoadFile{path});
        QCOMPARE(QSqlDatabase::connectionNames(), before); // the failed one has left none
    }

    // The second start shows what the first has kept, and the GUI thread waits for no disk meanwhile.
    void keptSamplesComeBack()
    {
        const QString path = newPath();
        {
            const std::shared_ptr<LoadThread> thread = LoadThread::ofProgram(path);
            QCOMPARE(LoadThread::ofProgram(newPath()).get(), thread.get()); // one for all windows
            QMetaObject::invokeMethod(&thread->keeper(), [keeper = &thread->keeper()] {
                QVERIFY(QThread::currentThread() != QCoreApplication::instance()->thread());
                keeper->add(u"a"_qs, sampleAt(QDateTime::currentMSecsSinceEpoch() / Width * Width - Minute));
            });
        } // it is written with the end of the thread
        const std::shared_ptr<LoadThread> thread = LoadThread::ofProgram(path);
        QSignalSpy found(&thread->keeper(), &LoadKeeper::found);
        QMetaObject::invokeMethod(&thread->keeper(), [keeper = &thread->keeper()] { keeper->read(5, u"a"_qs); });
        QTRY_COMPARE_WITH_TIMEOUT(found.size(), 1, 30'000);
        const auto samples = found.front().at(1).value<std::vector<LoadSample>>();
        QCOMPARE(samples.size(), 1);
        LoadHistory load;
        load.restore(samples);
        QCOMPARE(load.points(Measure::Ready).front().value, 3);
        QCOMPARE(load.points(Measure::Ready).back().value, ChartPoint::Unknown); // until it is connected
    }

    // Of many queues the deepest, and each by itself.
    void theDeepestQueuesAreSampled()
    {
        qint64 now = Now;
        QueueLoads loads([&now] { return now; });
        QSignalSpy begun(&loads, &QueueLoads::begun);
        QSignalSpy sampled(&loads, &QueueLoads::sampled);
        loads.setConnected(true);
        QList<QueueDepth> queues;
        for (int i = 1; i <= 30; ++i)
            queues.append({"q" + QByteArray::number(i), i});
        loads.show(queues);
        QCOMPARE(loads.count(), QueueLoads::MostQueues);
        QCOMPARE(begun.size(), qsizetype(QueueLoads::MostQueues));
        QCOMPARE(begun.front().front().toByteArray(), QByteArray("q30"));
        now += Width;
        loads.sample();
        QCOMPARE(sampled.size(), qsizetype(QueueLoads::MostQueues));
        QCOMPARE(loads.points("q30").back(), (ChartPoint{Now + Width, 30}));
        QCOMPARE(loads.points("q15").back(), (ChartPoint{Now + Width, 15}));
        QVERIFY(loads.points("q14").empty());
        queues.removeLast();
        loads.show(queues); // one has gone, and makes room for another
        QVERIFY(loads.points("q30").empty());
        QCOMPARE(begun.back().front().toByteArray(), QByteArray("q14"));
        loads.restore("q14", {sampleAt(Now - Hour, 8)});
        QCOMPARE(loads.points("q14").front(), (ChartPoint{Now - Hour + Width, 8}));
        loads.clear();
        QCOMPARE(loads.count(), 0);
    }

    // A new session knows no queues at first, and then their names alone.
    void aQueueThatIsNotListedYetTakesNoPlace()
    {
        qint64 now = Now;
        QueueLoads loads([&now] { return now; });
        loads.setConnected(true);
        QList<QueueDepth> queues;
        for (int i = 1; i <= 30; ++i)
            queues.append({"q" + QByteArray::number(i), 0});
        loads.show(queues);
        QCOMPARE(loads.count(), 0);
        for (int i = 1; i <= 30; ++i)
            queues[i - 1].depth = i;
        loads.show(queues);
        now += Width;
        loads.sample();
        QCOMPARE(loads.points("q30").back(), (ChartPoint{Now + Width, 30}));
        loads.show({});
        QCOMPARE(loads.points("q30").back(), (ChartPoint{Now + Width, 30}));
        QCOMPARE(loads.count(), QueueLoads::MostQueues);
        loads.clear();
        loads.show({{"a", 0}, {"b", 0}});
        QCOMPARE(loads.count(), 2);
    }

    void aBatchWaitsWhileAnotherProcessWrites()
    {
        const QString path = newPath();
        const qint64 at = QDateTime::currentMSecsSinceEpoch() / Width * Width - Minute;
        {
            LoadKeeper keeper(path);
            QSignalSpy failed(&keeper, &LoadKeeper::failed);
            keeper.add(u"a"_qs, sampleAt(at));
            keeper.flush();
            {
                QSqlDatabase other = QSqlDatabase::addDatabase(u"QSQLITE"_qs, u"other"_qs);
                other.setDatabaseName(path);
                QVERIFY(other.open());
                QVERIFY(QSqlQuery(other).exec(u"BEGIN IMMEDIATE"_qs));
                keeper.add(u"a"_qs, sampleAt(at + Width));
                keeper.finish();
                QVERIFY(QSqlQuery(other).exec(u"ROLLBACK"_qs));
            }
            QSqlDatabase::removeDatabase(u"other"_qs);
            keeper.flush();
            QVERIFY(failed.isEmpty());
        }
        QCOMPARE(LoadFile(path).samples(u"a"_qs).size(), 2);
    }

    void aFileThatCannotBeWrittenIsSaidOnce()
    {
        const QString path = newPath();
        QVERIFY(QDir().mkpath(path)); // a directory is in its place
        LoadKeeper keeper(path);
        QSignalSpy failed(&keeper, &LoadKeeper::failed);
        for (int i = 0; i < 3; ++i) {
            keeper.add(u"a"_qs, sampleAt(Now + i * Width));
            keeper.flush();
        }
        QCOMPARE(failed.size(), 1);
        QVERIFY2(failed.front().front().toString().contains(path), qPrintable(failed.front().front().toString()));
    }
};

QTEST_MAIN(ChartsTest)
#include "charts_test.moc"
