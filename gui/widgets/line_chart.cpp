#include "gui/widgets/line_chart.h"

#include "gui/text/format.h"
#include "gui/widgets/theme.h"
#include "text/quantity.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

namespace drover::gui {

LineChart::LineChart(const QString &title, Span span, QWidget *parent) : QWidget(parent), m_title(title), m_span(span)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(title);
}

LineChart::Axis LineChart::axisFor(qint64 maximum)
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

void LineChart::setStale(const QString &asOf)
{
    m_asOf = asOf;
    update();
}

void LineChart::sayWhenEmpty(const QString &text)
{
    m_whenEmpty = text;
    update();
}

QString LineChart::valueText(qint64 value) const
{
    return text::formatCount(value);
}

QStringList LineChart::legends() const
{
    QStringList legends;
    const std::vector<Line> shown = lines();
    for (const Line &line : shown)
        legends << line.legend;
    return legends;
}

void LineChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QRectF area = QRectF(rect()).adjusted(12, 10, -14, -8);
    const std::vector<Line> shown = lines();
    if (shown.empty()) {
        painter.setPen(mutedText(palette()));
        painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, m_whenEmpty);
        return;
    }
    if (m_hasHeading) {
        painter.setPen(mutedText(palette()));
        painter.drawText(area, Qt::AlignLeft | Qt::AlignTop, m_title);
        area.setTop(area.top() + fontMetrics().height() + 4);
    }
    qint64 maximum = 0;
    for (const Line &line : shown) {
        if (!line.values.empty())
            maximum = std::max(maximum, *std::max_element(line.values.begin(), line.values.end()));
    }
    const QRectF below = paintLegend(painter, area, shown);
    const Axis axis = axisFor(maximum);
    qreal labels = 0;
    for (qint64 value = 0; value <= axis.end; value += axis.step)
        labels = std::max<qreal>(labels, fontMetrics().horizontalAdvance(valueText(value)) + 10);
    const QRectF plot = below.adjusted(labels, fontMetrics().height() / 2.0, 0, -fontMetrics().height() - 6);
    paintGrid(painter, plot, axis);
    paintSeries(painter, plot, axis, shown);
}

QRectF LineChart::paintLegend(QPainter &painter, const QRectF &area, const std::vector<Line> &lines) const
{
    const QFontMetrics metrics = fontMetrics();
    qreal x = area.left();
    qreal y = area.top();
    for (const Line &line : lines) {
        const qreal width = 16 + metrics.horizontalAdvance(line.legend) + 18;
        if (x > area.left() && x + width > area.right()) {
            x = area.left();
            y += metrics.height() + 4;
        }
        const qreal middle = y + metrics.height() / 2.0;
        const bool stale = !m_asOf.isEmpty();
        painter.setPen(QPen(stale ? mutedText(palette()) : line.color, 3, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(QPointF(x + 1, middle), QPointF(x + 10, middle));
        painter.setPen(stale ? mutedText(palette()) : palette().color(QPalette::Text));
        painter.drawText(QRectF(x + 16, y, width, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, line.legend);
        x += width;
    }
    return area.adjusted(0, y - area.top() + metrics.height() + 8, 0, 0);
}

void LineChart::paintGrid(QPainter &painter, const QRectF &plot, const Axis &axis) const
{
    const QFontMetrics metrics = fontMetrics();
    const QColor grid = gridColor(palette());
    const QColor text = mutedText(palette());
    for (qint64 value = 0; value <= axis.end; value += axis.step) {
        const qreal y = std::round(plot.bottom() - plot.height() * qreal(value) / qreal(axis.end)) + 0.5;
        painter.setPen(grid);
        painter.drawLine(QPointF(plot.left(), y), QPointF(plot.right(), y));
        painter.setPen(text);
        const QRectF label(0, y - metrics.height() / 2.0, plot.left() - 8, metrics.height());
        painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, valueText(value));
    }
    const int minutes = int(qint64(m_span.samples) * m_span.interval.count() / 60000);
    qreal free = std::numeric_limits<qreal>::max(); // to the left of what is written
    for (int minute = 0; minute <= minutes; minute += minutes > 10 ? 5 : 1) {
        const qreal x = plot.right() - plot.width() * minute / minutes;
        const QString label = minute == 0 ? (m_asOf.isEmpty() ? tr("now") : m_asOf) : tr("−%1 min").arg(minute);
        const qreal width = metrics.horizontalAdvance(label);
        const qreal left = std::clamp(x - width / 2, plot.left(), plot.right() - width);
        if (left + width + 8 > free)
            continue;
        painter.drawText(QPointF(left, plot.bottom() + metrics.ascent() + 6), label);
        free = left;
    }
}

void LineChart::paintSeries(QPainter &painter, const QRectF &plot, const Axis &axis,
                            const std::vector<Line> &lines) const
{
    const auto heightOf = [&](qint64 depth) { return plot.bottom() - plot.height() * qreal(depth) / qreal(axis.end); };
    for (const Line &line : lines) {
        QPainterPath path;
        bool isBroken = true; // the next point begins a line
        for (std::size_t age = 0; age < line.values.size(); ++age) {
            const qint64 value = line.values[age];
            const QPointF point(plot.right() - plot.width() * qreal(age) / qreal(m_span.samples - 1), heightOf(value));
            if (value >= 0)
                isBroken ? path.moveTo(point) : path.lineTo(point);
            isBroken = value < 0;
        }
        const QColor color = m_asOf.isEmpty() ? line.color : mutedText(palette());
        painter.setPen(QPen(color, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
        if (!line.values.empty() && line.values[0] >= 0) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            painter.drawEllipse(QPointF(plot.right(), heightOf(line.values[0])), 3, 3);
        }
    }
}

} // namespace drover::gui
