#include "gui/models/queue_history.h"
#include "gui/pictures.h"
#include "gui/widgets/depth_chart.h"
#include "gui/widgets/theme.h"

#include <QApplication>
#include <QTest>

using namespace drover;
using namespace drover::gui;

class DepthChartTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ringKeepsTheNewest();
    void historyForgetsEmptyQueues();
    void axisEndsAtRoundNumbers_data();
    void axisEndsAtRoundNumbers();
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

void DepthChartTest::axisEndsAtRoundNumbers_data()
{
    QTest::addColumn<qint64>("maximum");
    QTest::addColumn<qint64>("end");
    QTest::addColumn<qint64>("step");
    const auto row = [](qint64 maximum, qint64 end, qint64 step) {
        QTest::addRow("%lld", maximum) << maximum << end << step;
    };
    row(0, 2, 1);
    row(1, 2, 1);
    row(4, 4, 1);
    row(5, 6, 2);
    row(9, 10, 5);
    row(47, 60, 20);
    row(50'000, 60'000, 20'000);
}

void DepthChartTest::axisEndsAtRoundNumbers()
{
    QFETCH(qint64, maximum);
    QFETCH(qint64, end);
    QFETCH(qint64, step);
    QCOMPARE(DepthChart::axisFor(maximum).end, end);
    QCOMPARE(DepthChart::axisFor(maximum).step, step);
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
        for (int i = 0; i < 600; ++i) {
            history.show({{"a", 10 + i % 40}, {"b", 30}});
            history.sample();
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
