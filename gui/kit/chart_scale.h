#pragma once

#include "gui/data/chart_point.h"

#include <QStringList>

#include <chrono>
#include <vector>

namespace drover::gui {

// The axes and lines of a chart, before it draws. Pure functions and values; all times are milliseconds of the Unix
// epoch.

// The round number at which an axis for values up to a maximum ends, and the distance of its lines.
struct ValueAxis {
    qint64 end = 4;
    qint64 step = 1;

    static ValueAxis upTo(qint64 maximum);
};

// Round moments of local time, at most `most`, and how each is written.
struct TimeAxis {
    std::vector<qint64> ticks;
    QStringList labels; // of the ticks: "14:03:20", "14:03", or "27 Nov"

    static TimeAxis between(qint64 from, qint64 until, int most);
};

// Of points in the order of time those that a line of so many pixels needs between two moments. These are the first,
// lowest, highest and last of each pixel. A gap stays a gap. The neighbours of the span are included, so that the line
// reaches its edges.
std::vector<ChartPoint> thinned(const std::vector<ChartPoint> &points, qint64 from, qint64 until, int pixels);

// The value at a moment: that of the last point which is not later; Unknown in a gap, and before the first point.
qint64 valueAt(const std::vector<ChartPoint> &points, qint64 at);

// The span of time that a chart shows. It ends now until the user has moved it.
class TimeWindow
{
public:
    static constexpr std::chrono::milliseconds Shortest{10'000};

    // The span at first, and the longest.
    TimeWindow(std::chrono::milliseconds usual, std::chrono::milliseconds longest);

    qint64 from(qint64 now) const { return until(now) - m_span; }
    qint64 until(qint64 now) const { return m_until > 0 ? m_until : now; }
    bool isUsual() const { return m_until == 0 && m_span == m_usual; }

    // Shows less, for a factor below 1, or more. The moment `about` keeps its place unless there is no room for it.
    void zoom(double factor, qint64 about, qint64 now);
    void move(qint64 by, qint64 now); // to later, or earlier
    void reset();

    friend bool operator==(const TimeWindow &, const TimeWindow &) = default;

private:
    void place(qint64 until, qint64 now);

    qint64 m_usual;
    qint64 m_longest;
    qint64 m_span;
    qint64 m_until = 0; // 0: now
};

} // namespace drover::gui
