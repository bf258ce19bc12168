#include "gui/kit/chart.h"
#include "gui/kit/lanes.h"
#include "gui/kit/time_ruler.h"
#include "gui/pictures.h"
#include "gui/widgets/theme.h"
#include "gui/zone.h"

#include <QApplication>
#include <QDateTime>
#include <QMouseEvent>
#include <QTest>
#include <QWheelEvent>

#include <cmath>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

constexpr qint64 Minute = 60'000;

// Two lines of ten minutes, one of which has a gap of two minutes.
class Sample final : public Chart
{
public:
    explicit Sample(qint64 end) : Chart(QStringLiteral("Jobs"), {10min, 24h})
    {
        for (int i = 0; i <= 600; ++i) {
            const qint64 at = end - 10 * Minute + i * 1'000;
            m_first.push_back({at, 20 + qint64(15 * std::sin(i / 30.0))});
            const bool isGap = i >= 300 && i < 420;
            if (!isGap || i == 300)
                m_second.push_back({at, isGap ? ChartPoint::Unknown : 8});
        }
    }

protected:
    std::vector<Series> series() const override
    {
        return {{QStringLiteral("ready"), QStringLiteral("ready  12"), seriesColor(1, palette()), m_first},
                {QStringLiteral("running"), QStringLiteral("running  8"), seriesColor(0, palette()), m_second}};
    }

private:
    std::vector<ChartPoint> m_first;
    std::vector<ChartPoint> m_second;
};

// Of a clock that goes on by `step` milliseconds whenever it is read.
class Timed final : public Chart
{
public:
    Timed(qint64 now, qint64 step) : Chart(QStringLiteral("Jobs"), {10min, 24h}), m_now(now), m_step(step) { }

protected:
    std::vector<Series> series() const override
    {
        return {{QStringLiteral("ready"), QStringLiteral("ready  1"), seriesColor(1, palette()), {{m_now, 1}}}};
    }
    qint64 clock() const override { return m_now += m_step; }

private:
    mutable qint64 m_now;
    const qint64 m_step;
};

// Of a chart in 600 x 240 pixels, the place of the label at the end of the axis of time.
QImage endOf(Chart &chart)
{
    chart.resize(600, 240);
    const QFontMetrics metrics = chart.fontMetrics();
    const int width = metrics.horizontalAdvance(u"now"_qs);
    return chart.grab().toImage().copy(600 - 14 - width, 240 - 8 - metrics.height(), width, metrics.height());
}

void wheel(QWidget &widget, const QPoint &at, int delta)
{
    QWheelEvent event(at, widget.mapToGlobal(at), {}, {0, delta}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(&widget, &event);
}

} // namespace

// The chart of the whole console: its axes, what it leaves out, and how it is moved.
class ChartTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void axisEndsAtRoundNumbers_data()
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

    void axisEndsAtRoundNumbers()
    {
        QFETCH(qint64, maximum);
        QFETCH(qint64, end);
        QFETCH(qint64, step);
        QCOMPARE(ValueAxis::upTo(maximum).end, end);
        QCOMPARE(ValueAxis::upTo(maximum).step, step);
    }

    void timesAreRound()
    {
        const qint64 noon = QDateTime(QDate(2026, 11, 27), QTime(12, 0)).toMSecsSinceEpoch();
        const TimeAxis minutes = TimeAxis::between(noon + 20'000, noon + 5 * Minute, 6);
        QCOMPARE(minutes.labels, (QStringList{u"12:01"_qs, u"12:02"_qs, u"12:03"_qs, u"12:04"_qs, u"12:05"_qs}));
        QCOMPARE(minutes.ticks.front(), noon + Minute);
        const TimeAxis seconds = TimeAxis::between(noon, noon + 20'000, 5);
        QCOMPARE(seconds.labels.value(1), u"12:00:05"_qs);
        const TimeAxis days = TimeAxis::between(noon - 30 * 24 * 60 * Minute, noon, 8);
        QVERIFY2(days.ticks.size() >= 3 && days.ticks.size() <= 8, qPrintable(days.labels.join(u' ')));
        QVERIFY2(!days.labels.front().contains(u':'), qPrintable(days.labels.front()));
    }

    // In the night to 25 October 2026 the hour from 2 to 3 comes twice.
    void daysBeginAtMidnightWhenClocksChange()
    {
        const test::Zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
        const qint64 from = QDateTime(QDate(2026, 10, 22), QTime(12, 0)).toMSecsSinceEpoch();
        const qint64 until = QDateTime(QDate(2026, 10, 28), QTime(12, 0)).toMSecsSinceEpoch();
        const TimeAxis days = TimeAxis::between(from, until, 7);
        QCOMPARE(days.ticks.size(), std::size_t(6));
        for (const qint64 tick : days.ticks)
            QCOMPARE(QDateTime::fromMSecsSinceEpoch(tick).time(), QTime(0, 0));
        QCOMPARE(days.labels.front(), u"23 Oct"_qs);
        QCOMPARE(days.labels.back(), u"28 Oct"_qs);
    }

    // Each stretch has the first lane that is free where it begins.
    void stretchesLieSideBySide()
    {
        QCOMPARE(inLanes({}), std::vector<Lane>());
        const std::vector<Lane> lanes = inLanes({{0, 4}, {1, 2}, {2, 6}, {3, 5}, {6, 7}, {6, 8}, {10, 11}});
        QCOMPARE(lanes, (std::vector<Lane>{{0, 3}, {1, 3}, {1, 3}, {2, 3}, {0, 2}, {1, 2}, {0, 1}}));
    }

    // Also beyond the night in which clocks change.
    void timesBelowAPictureAreRound()
    {
        const test::Zone zone("CET-1CEST,M3.5.0,M10.5.0/3");
        const qint64 from = QDateTime(QDate(2026, 10, 24), QTime(13, 30)).toMSecsSinceEpoch();
        const qint64 until = QDateTime(QDate(2026, 10, 26), QTime(13, 30)).toMSecsSinceEpoch();
        const TimeRuler ruler{.plot = {0, 0, 700, 20}, .from = from, .until = until};
        const TimeAxis times = ruler.axis(QFontMetrics(QApplication::font()));
        QVERIFY(times.ticks.size() >= 4);
        for (const qint64 tick : times.ticks)
            QCOMPARE(QDateTime::fromMSecsSinceEpoch(tick).time().hour() % 6, 0);
        QCOMPARE(ruler.xOf(until), 700.0);
    }

    // Of a million points those that a picture can show, and none of its peaks lost.
    void linesAreThinnedToTheirPixels()
    {
        std::vector<ChartPoint> points;
        for (int i = 0; i < 1'000'000; ++i)
            points.push_back({i, i == 123'456 ? 99 : i % 7});
        points[777'777].value = ChartPoint::Unknown;
        const std::vector<ChartPoint> kept = thinned(points, 0, 1'000'000, 500);
        QVERIFY2(kept.size() <= 4 * 501, qPrintable(QString::number(kept.size())));
        const auto has = [&kept](qint64 value) {
            return std::any_of(kept.begin(), kept.end(), [value](const ChartPoint &one) { return one.value == value; });
        };
        QVERIFY(has(99));
        QVERIFY(has(ChartPoint::Unknown));
        QVERIFY(std::is_sorted(kept.begin(), kept.end(), [](const auto &a, const auto &b) { return a.at < b.at; }));
        // Only what is near the span, with its neighbours.
        const std::vector<ChartPoint> few = thinned(points, 500, 509, 500);
        QCOMPARE(few.front().at, 499);
        QCOMPARE(few.back().at, 510);
    }

    void zoomKeepsTheMomentInItsPlace()
    {
        constexpr qint64 Now = 100'000 * Minute;
        TimeWindow window(10min, 24h);
        QCOMPARE(window.from(Now), 99'990 * Minute);
        window.zoom(0.5, 99'994 * Minute, Now);
        QCOMPARE(window.until(Now), 99'997 * Minute);
        QCOMPARE(window.from(Now), 99'992 * Minute);
        QVERIFY(!window.isUsual());
        window.move(100 * Minute, Now); // not beyond now, which it follows from then on
        QCOMPARE(window.until(Now), Now);
        QCOMPARE(window.until(Now + Minute), Now + Minute);
        window.move(-10'000 * Minute, Now); // not before what is kept
        QCOMPARE(window.from(Now), Now - 24 * 60 * Minute);
        window.zoom(1e9, Now, Now);
        QCOMPARE(window.until(Now) - window.from(Now), 24 * 60 * Minute);
        window.zoom(1e-9, Now, Now);
        QCOMPARE(window.until(Now) - window.from(Now), TimeWindow::Shortest.count());
        window.reset();
        QVERIFY(window.isUsual());
    }

    void theMouseAndTheKeyboardMoveIt()
    {
        Sample chart(QDateTime::currentMSecsSinceEpoch());
        Sample other(QDateTime::currentMSecsSinceEpoch());
        chart.moveWith(other);
        chart.resize(600, 240);
        chart.show();
        chart.grab();
        const auto span = [](const Chart &one) { return one.window().until(1e15) - one.window().from(1e15); };
        wheel(chart, {300, 120}, 120);
        QCOMPARE(span(chart), 8 * Minute);
        QCOMPARE(span(other), 8 * Minute);
        const qint64 before = chart.window().until(0);
        QTest::mousePress(&chart, Qt::LeftButton, {}, {300, 120});
        QTest::mouseMove(&chart, {400, 120}); // to earlier
        QTest::mouseRelease(&chart, Qt::LeftButton, {}, {400, 120});
        QVERIFY(chart.window().until(0) < before);
        QTest::mouseDClick(&chart, Qt::LeftButton, {}, {400, 120});
        QVERIFY(chart.window().isUsual() && other.window().isUsual());
        QTest::keyClick(&chart, Qt::Key_Minus);
        QVERIFY(span(chart) > 10 * Minute);
        QTest::keyClick(&chart, Qt::Key_Left);
        QVERIFY(chart.window().until(0) > 0);
        QTest::keyClick(&chart, Qt::Key_Home);
        QVERIFY(chart.window().isUsual());
    }

    // Also if the clock goes on between two looks at it.
    void aChartOfThePresentEndsNow()
    {
        const qint64 noon = QDateTime(QDate(2026, 11, 27), QTime(12, 0)).toMSecsSinceEpoch();
        Timed still(noon, 0);
        Timed moving(noon, 1);
        const QImage present = endOf(still);
        QCOMPARE(endOf(moving), present);
        TimeWindow past = still.window();
        past.move(-Minute, noon);
        still.setWindow(past);
        QVERIFY(endOf(still) != present);
    }

    void saysTheValuesAtThePointer()
    {
        const qint64 now = QDateTime::currentMSecsSinceEpoch() / 1000 * 1000;
        Sample chart(now);
        const QString time = QDateTime::fromMSecsSinceEpoch(now - 4 * Minute).toString(u"HH:mm:ss"_qs);
        const QString words = chart.wordsAt(now - 4 * Minute);
        QVERIFY2(words.contains(time) && words.contains(u"ready "_qs), qPrintable(words));
        QVERIFY2(words.contains(u"running not known"_qs), qPrintable(words));
        QVERIFY2(chart.wordsAt(now).endsWith(u"running 8"_qs), qPrintable(chart.wordsAt(now)));
    }

    void gapsAreGaps_data()
    {
        QTest::addColumn<int>("theme");
        QTest::newRow("light") << int(ThemeChoice::Light);
        QTest::newRow("dark") << int(ThemeChoice::Dark);
    }

    // The level line of 8 runs over some four fifths of the width, and not over the rest.
    void gapsAreGaps()
    {
        QFETCH(int, theme);
        applyTheme(ThemeChoice(theme));
        Sample chart(QDateTime::currentMSecsSinceEpoch());
        chart.resize(600, 240);
        chart.show();
        chart.grab();
        QMouseEvent pointing(QEvent::MouseMove, QPointF(420, 100), chart.mapToGlobal(QPointF(420, 100)), Qt::NoButton,
                             Qt::NoButton, Qt::NoModifier);
        QApplication::sendEvent(&chart, &pointing);
        const QImage image =
            test::pictureOf(chart, u"chart-%1"_qs.arg(theme == int(ThemeChoice::Dark) ? u"dark"_qs : u"light"_qs));
        const QColor color = seriesColor(0, chart.palette());
        int columns = 0;
        for (int x = 0; x < image.width(); ++x) {
            for (int y = 40; y < image.height(); ++y) {
                if (image.pixelColor(x, y) == color) {
                    ++columns;
                    break;
                }
            }
        }
        QVERIFY2(columns > 0.7 * 550 && columns < 0.88 * 560, qPrintable(QString::number(columns)));
    }
};

QTEST_MAIN(ChartTest)
#include "chart_test.moc"
