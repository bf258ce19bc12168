#include "gui/kit/time_ruler.h"

#include "gui/widgets/theme.h"

#include <QPainter>

#include <cmath>

namespace drover::gui {

TimeAxis TimeRuler::axis(const QFontMetrics &metrics) const
{
    constexpr int Apart = 24; // between labels
    const int most = int(plot.width()) / (metrics.horizontalAdvance(QStringLiteral("00:00")) + Apart);
    if (until - from >= most * qint64(60'000)) // no label has seconds
        return TimeAxis::between(from, until, most);
    return TimeAxis::between(from, until,
                             int(plot.width()) / (metrics.horizontalAdvance(QStringLiteral("00:00:00")) + Apart));
}

// From the right to the left, as the end matters most.
void TimeRuler::paint(QPainter &painter, const QPalette &palette) const
{
    constexpr qreal Apart = 10; // between labels
    const QFontMetrics metrics = painter.fontMetrics();
    const qreal baseline = plot.bottom() + metrics.ascent() + 6;
    qreal free = plot.right() - metrics.horizontalAdvance(end); // where the next label has to end
    painter.setPen(mutedText(palette));
    painter.drawText(QPointF(free, baseline), end);
    if (!end.isEmpty())
        free -= Apart;
    const TimeAxis times = axis(metrics);
    for (std::size_t i = times.ticks.size(); i-- > 0;) {
        const qreal x = std::round(xOf(times.ticks[i])) + 0.5;
        if (up > 0 || down > 0) {
            painter.setPen(gridColor(palette));
            painter.drawLine(QPointF(x, plot.bottom() - up), QPointF(x, plot.bottom() + down));
        }
        const QString label = times.labels[qsizetype(i)];
        const qreal width = metrics.horizontalAdvance(label);
        const qreal left = x - width / 2;
        if (left < plot.left() || left + width > free)
            continue;
        painter.setPen(mutedText(palette));
        painter.drawText(QPointF(left, baseline), label);
        free = left - Apart;
    }
}

} // namespace drover::gui
