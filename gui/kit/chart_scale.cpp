#include "gui/kit/chart_scale.h"

#include "gui/text/format.h"

#include <QDateTime>

#include <algorithm>
#include <array>

namespace drover::gui {

namespace {

constexpr qint64 Second = 1000;
constexpr qint64 Minute = 60 * Second;
constexpr qint64 Hour = 60 * Minute;
constexpr qint64 Day = 24 * Hour;

constexpr std::array TickSteps{1 * Second, 2 * Second, 5 * Second,  10 * Second, 15 * Second, 30 * Second, 1 * Minute,
                               2 * Minute, 5 * Minute, 10 * Minute, 15 * Minute, 30 * Minute, 1 * Hour,    2 * Hour,
                               3 * Hour,   6 * Hour,   12 * Hour,   1 * Day,     2 * Day,     7 * Day,     14 * Day};

QString tickLabel(qint64 at, qint64 step)
{
    const QDateTime local = QDateTime::fromMSecsSinceEpoch(at);
    if (step >= Day || local.time().msecsSinceStartOfDay() == 0)
        return formatDay(at);
    return local.time().toString(step < Minute ? QStringLiteral("HH:mm:ss") : QStringLiteral("HH:mm"));
}

qint64 offsetAt(qint64 at)
{
    return qint64(QDateTime::fromMSecsSinceEpoch(at).offsetFromUtc()) * Second;
}

// The moment at which clocks show a time, which is given as if it were UTC.
qint64 momentOf(qint64 clock)
{
    const QDateTime shown = QDateTime::fromMSecsSinceEpoch(clock, Qt::UTC);
    return QDateTime(shown.date(), shown.time()).toMSecsSinceEpoch();
}

// The points of one pixel.
struct Pixel {
    std::vector<ChartPoint> points;

    void giveTo(std::vector<ChartPoint> &kept)
    {
        if (points.empty())
            return;
        const auto lower = [](const ChartPoint &a, const ChartPoint &b) { return a.value < b.value; };
        const auto [low, high] = std::minmax_element(points.begin(), points.end(), lower);
        std::array places{points.begin(), low, high, points.end() - 1};
        std::sort(places.begin(), places.end());
        const auto end = std::unique(places.begin(), places.end());
        std::for_each(places.begin(), end, [&kept](const auto place) { kept.push_back(*place); });
        points.clear();
    }
};

} // namespace

ValueAxis ValueAxis::upTo(qint64 maximum)
{
    constexpr int Lines = 4;
    qint64 step = 1;
    for (qint64 decade = 1; step * Lines < maximum; decade *= 10) {
        for (const qint64 factor : {1, 2, 5}) {
            step = decade * factor;
            if (step * Lines >= maximum)
                break;
        }
    }
    const qint64 lines = std::max<qint64>((maximum + step - 1) / step, 2);
    return {lines * step, step};
}

TimeAxis TimeAxis::between(qint64 from, qint64 until, int most)
{
    const auto fits = [&](qint64 step) { return (until - from) / step < std::max(1, most); };
    const auto found = std::find_if(TickSteps.begin(), TickSteps.end(), fits);
    const qint64 step = found == TickSteps.end() ? TickSteps.back() : *found;
    // Where clocks change in between, long steps have unequal lengths. Short ones go on through the hour that comes
    // twice.
    const bool isLong = step > Hour;
    const qint64 offset = offsetAt(isLong ? from : until);
    TimeAxis axis;
    for (qint64 clock = (from + offset + step - 1) / step * step;; clock += step) {
        const qint64 at = isLong ? momentOf(clock) : clock - offset;
        if (at > until)
            return axis;
        axis.ticks.push_back(at);
        axis.labels << tickLabel(at, step);
    }
}

std::vector<ChartPoint> thinned(const std::vector<ChartPoint> &points, qint64 from, qint64 until, int pixels)
{
    const auto earlier = [](const ChartPoint &point, qint64 at) { return point.at < at; };
    auto first = std::lower_bound(points.begin(), points.end(), from, earlier);
    auto last = std::lower_bound(first, points.end(), until + 1, earlier);
    if (first != points.begin())
        --first;
    if (last != points.end())
        ++last;
    std::vector<ChartPoint> kept;
    Pixel pixel;
    qint64 column = 0;
    const qint64 span = std::max<qint64>(1, until - from);
    for (auto point = first; point != last; ++point) {
        const qint64 its = (point->at - from) * std::max(1, pixels) / span;
        if (its != column)
            pixel.giveTo(kept);
        column = its;
        pixel.points.push_back(*point);
    }
    pixel.giveTo(kept);
    return kept;
}

qint64 valueAt(const std::vector<ChartPoint> &points, qint64 at)
{
    const auto later = [](qint64 moment, const ChartPoint &point) { return moment < point.at; };
    const auto next = std::upper_bound(points.begin(), points.end(), at, later);
    return next == points.begin() ? ChartPoint::Unknown : std::prev(next)->value;
}

TimeWindow::TimeWindow(std::chrono::milliseconds usual, std::chrono::milliseconds longest)
    : m_usual(usual.count()), m_longest(longest.count()), m_span(usual.count())
{
}

void TimeWindow::zoom(double factor, qint64 about, qint64 now)
{
    const qint64 before = m_span;
    const double wanted = std::clamp(double(m_span) * factor, double(Shortest.count()), double(m_longest));
    const qint64 end = until(now);
    m_span = qint64(wanted);
    place(about + qint64(double(end - about) * double(m_span) / double(before)), now);
}

void TimeWindow::move(qint64 by, qint64 now)
{
    place(until(now) + by, now);
}

void TimeWindow::reset()
{
    m_span = m_usual;
    m_until = 0;
}

// A span that reaches the present follows it.
void TimeWindow::place(qint64 until, qint64 now)
{
    const qint64 earliest = now - m_longest + m_span;
    m_until = until >= now ? 0 : std::max(until, std::min(earliest, now - 1));
}

} // namespace drover::gui
