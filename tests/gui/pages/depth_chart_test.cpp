#include "gui/charts/load_thinning.h"
#include "gui/charts/queue_loads.h"
#include "gui/models/queue_history.h"
#include "gui/pages/depth_chart.h"
#include "gui/pictures.h"
#include "gui/widgets/theme.h"

#include <QApplication>
#include <QDateTime>
#include <QTest>

using namespace drover;
using namespace drover::gui;

class DepthChartTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ringKeepsTheNewest();
    void historyForgetsEmptyQueues();
    void aPauseIsAGap();
    void drawsAnAxisForNothing();
    void drawsALineForEachQueue();
    void namesTheDeepestOfManyQueues();
    void whatWasKeptStandsBeforeTheLastMinutes();
};

namespace {

QImage picture(DepthChart &chart)
{
    chart.resize(500, 300);
    return chart.grab().toImage();
}

} // namespace

void DepthChartTest::ringKeepsTheNewest()
{
    SampleRing ring;
    for (int i = 0; i < 1000; ++i)
        ring.append(i);
    QCOMPARE(ring.size(), SampleRing::Capacity);
    QCOMPARE(ring.latest(), 999);
    QCOMPARE(ring.at(SampleRing::Capacity - 1), 400);
}

void DepthChartTest::historyForgetsEmptyQueues()
{
    QueueHistory history;
    history.show({{"a", 5}, {"b", 0}});
    QCOMPARE(history.series().at("a").maximum(), 5); // the first are sampled at once
    history.sample();
    QCOMPARE(history.series().at("a").maximum(), 5);
    history.show({{"a", 1}});
    history.sample();
    QVERIFY(!history.series().contains("b")); // it never held anything
    history.show({});
    for (std::size_t i = 0; i + 1 < SampleRing::Capacity; ++i)
        history.sample();
    QVERIFY(history.series().contains("a")); // its past is still in sight
    history.sample();
    QVERIFY(history.series().empty());
}

// The console was not connected: a line over that time would be a guess.
void DepthChartTest::aPauseIsAGap()
{
    SampleRing ring;
    for (const qint64 at : {1'000, 1'500, 2'000, 60'000, 60'500})
        ring.append(7, at);
    const std::vector<ChartPoint> points = ring.points(QueueHistory::Interval);
    const std::vector<ChartPoint> wanted{{1'000, 7},  {1'500, 7}, {2'000, 7}, {2'500, ChartPoint::Unknown},
                                         {60'000, 7}, {60'500, 7}};
    QCOMPARE(points, wanted);
}

void DepthChartTest::drawsAnAxisForNothing()
{
    applyTheme(ThemeChoice::Light);
    QueueHistory history;
    const QueueLoads loads;
    DepthChart chart(history, loads);
    chart.sayWhenEmpty(u"No queues yet."_qs);
    const QImage blank = picture(chart);
    QVERIFY(test::pixelsOf(blank, chart.palette().color(QPalette::Base))
            < blank.width() * blank.height() - 100); // words
    history.show({{"a", 0}});
    history.sample();
    QVERIFY(test::pixelsOf(picture(chart), gridColor(chart.palette())) > 1000);
}

void DepthChartTest::drawsALineForEachQueue()
{
    for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
        applyTheme(theme);
        QueueHistory history;
        const QueueLoads loads;
        DepthChart chart(history, loads);
        const qint64 now = QDateTime::currentMSecsSinceEpoch();
        for (int i = 0; i < 600; ++i) {
            history.show({{"a", 10 + i % 40}, {"b", 30}});
            history.sampleAt(now - (600 - i) * QueueHistory::Interval.count());
        }
        const QImage image = picture(chart);
        QVERIFY(test::pixelsOf(image, seriesColor(1, chart.palette())) > 300); // a level line
        QVERIFY(test::pixelsOf(image, seriesColor(0, chart.palette())) > 300);
        QCOMPARE(test::pixelsOf(image, seriesColor(2, chart.palette())), 0);
    }
}

// 15 of 23 queues were lines without a name.
void DepthChartTest::namesTheDeepestOfManyQueues()
{
    QueueHistory history;
    QList<QueueDepth> depths;
    for (int i = 1; i <= 23; ++i)
        depths.append({"queue-" + QByteArray::number(i), i});
    history.show(depths);
    const QueueLoads loads;
    DepthChart chart(history, loads);
    const QStringList legends = chart.legends();
    QCOMPARE(legends.size(), 8);
    QVERIFY(legends.contains(u"queue-23  23"_qs) && legends.contains(u"queue-17  17"_qs));
    QVERIFY(!legends.contains(u"queue-16  16"_qs));
    QCOMPARE(legends.back(), u"16 others  %1"_qs.arg(16 * 17 / 2));
    QueueHistory few;
    few.show(depths.first(8));
    QCOMPARE(DepthChart(few, loads).legends().size(), 8);
    QVERIFY(!DepthChart(few, loads).legends().back().contains(u"others"_qs));
}

// A week ago there were seven jobs, and the console was closed until a moment ago.
void DepthChartTest::whatWasKeptStandsBeforeTheLastMinutes()
{
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    const qint64 then = now - 7 * 24 * qint64(3'600'000);
    QueueHistory history;
    QueueLoads loads;
    const QList<QueueDepth> depths{{"a", 3}};
    loads.show(depths);
    history.show(depths);
    history.sampleAt(now);
    loads.restore("a", {{then, 60'000, 7, 0, 0, 0}, {then + 60'000, 60'000, 9, 0, 0, 0}});
    DepthChart chart(history, loads);
    QVERIFY2(chart.wordsAt(then + 60'000).contains(u"a 7"_qs), qPrintable(chart.wordsAt(then + 60'000)));
    QVERIFY(chart.wordsAt(then + 120'000).contains(u"a 9"_qs));
    QVERIFY(chart.wordsAt(now).contains(u"a 3"_qs));
    const QString between = chart.wordsAt(now - 24 * qint64(3'600'000));
    QVERIFY2(!between.contains(u"a 9"_qs) && !between.contains(u"a 3"_qs), qPrintable(between));
    TimeWindow all = chart.window();
    all.zoom(1e6, now, now);
    QCOMPARE(all.until(now) - all.from(now), std::chrono::milliseconds(KeptFor).count());
}

QTEST_MAIN(DepthChartTest)
#include "depth_chart_test.moc"
