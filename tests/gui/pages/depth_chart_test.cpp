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
    DepthChart chart(history);
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
        DepthChart chart(history);
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
    DepthChart chart(history);
    const QStringList legends = chart.legends();
    QCOMPARE(legends.size(), 8);
    QVERIFY(legends.contains(u"queue-23  23"_qs) && legends.contains(u"queue-17  17"_qs));
    QVERIFY(!legends.contains(u"queue-16  16"_qs));
    QCOMPARE(legends.back(), u"16 others  %1"_qs.arg(16 * 17 / 2));
    QueueHistory few;
    few.show(depths.first(8));
    QCOMPARE(DepthChart(few).legends().size(), 8);
    QVERIFY(!DepthChart(few).legends().back().contains(u"others"_qs));
}

QTEST_MAIN(DepthChartTest)
#include "depth_chart_test.moc"
