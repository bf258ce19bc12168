#include "gui/widgets/depth_chart.h"

#include "gui/models/queue_history.h"
#include "gui/text/format.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <set>

namespace drover::gui {

namespace {

constexpr std::size_t MaxSeries = 8; // as many as there are colours

} // namespace

DepthChart::DepthChart(const QueueHistory &history, QWidget *parent) : QWidget(parent), m_history(history)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(tr("Queue depth over the last five minutes"));
    connect(&history, &QueueHistory::sampled, this, qOverload<>(&QWidget::update));
}

DepthChart::Axis DepthChart::axisFor(qint64 maximum)
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

void DepthChart::setStale(const QString &asOf)
{
    m_asOf = asOf;
    update();
}

// "gpu  6, paused, at most 3"
QString DepthChart::legendOf(const QByteArray &queue, qint64 depth) const
{
    QString text = tr("%1  %2", "queue, unfinished jobs").arg(text::printable(queue), text::formatCount(depth));
    const QueueDepth now = m_history.now(queue);
    if (!now.paused.isEmpty())
        text += tr(", paused");
    if (now.limit > 0)
        text += tr(", at most %1 at a time").arg(text::formatCount(now.limit));
    return text;
}

// Of the queues that are paused.
bool DepthChart::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        QStringList lines;
        for (const auto &[queue, ring] : m_history.series()) {
            const QString paused = m_history.now(queue).paused;
            if (!paused.isEmpty())
                lines << tr("%1 is %2", "queue, paused by").arg(text::printable(queue), text::printable(paused));
        }
        setToolTip(plainToolTip(lines.join(u'\n')));
    }
    return QWidget::event(event);
}

void DepthChart::sayWhenEmpty(const QString &text)
{
    m_whenEmpty = text;
    update();
}

void DepthChart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area = QRectF(rect()).adjusted(12, 10, -14, -8);
    if (m_history.series().empty()) {
        painter.setPen(mutedText(palette()));
        painter.drawText(area, Qt::AlignCenter | Qt::TextWordWrap, m_whenEmpty);
        return;
    }
    const std::vector<Line> shown = lines();
    qint64 maximum = 0;
    for (const Line &line : shown) {
        for (std::size_t age = 0; age < line.size(); ++age)
            maximum = std::max(maximum, line.at(age));
    }
    const QRectF below = paintLegend(painter, area, shown);
    const Axis axis = axisFor(maximum);
    const int labels = fontMetrics().horizontalAdvance(text::formatCount(axis.end)) + 10;
    const QRectF plot = below.adjusted(labels, fontMetrics().height() / 2.0, 0, -fontMetrics().height() - 6);
    paintGrid(painter, plot, axis);
    paintSeries(painter, plot, axis, shown);
}

std::size_t DepthChart::Line::size() const
{
    std::size_t size = 0;
    for (const SampleRing *const ring : rings)
        size = std::max(size, ring->size());
    return size;
}

qint64 DepthChart::Line::at(std::size_t age) const
{
    qint64 sum = 0;
    for (const SampleRing *const ring : rings)
        sum += age < ring->size() ? ring->at(age) : 0;
    return sum;
}

std::vector<DepthChart::Line> DepthChart::lines() const
{
    const auto &series = m_history.series();
    std::vector<std::pair<qint64, QByteArray>> order; // the deepest first
    for (const auto &[queue, ring] : series)
        order.emplace_back(-ring.maximum(), queue);
    std::sort(order.begin(), order.end());
    if (order.size() > MaxSeries)
        order.resize(MaxSeries - 1);
    std::set<QByteArray> named;
    for (const auto &[depth, queue] : order)
        named.insert(queue);
    std::vector<Line> lines;
    Line others;
    for (const auto &[queue, ring] : series) {
        if (named.contains(queue))
            lines.push_back({legendOf(queue, ring.latest()), seriesColor(int(lines.size()), palette()), {&ring}});
        else
            others.rings.push_back(&ring);
    }
    if (!others.rings.empty()) {
        others.legend = tr("%1 others  %2", "queues, unfinished jobs")
                            .arg(text::formatCount(qint64(others.rings.size())), text::formatCount(others.at(0)));
        others.color = seriesColor(int(MaxSeries) - 1, palette());
        lines.push_back(others);
    }
    return lines;
}

QStringList DepthChart::legends() const
{
    QStringList legends;
    const std::vector<Line> shown = lines();
    for (const Line &line : shown)
        legends << line.legend;
    return legends;
}

QRectF DepthChart::paintLegend(QPainter &painter, const QRectF &area, const std::vector<Line> &lines) const
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

void DepthChart::paintGrid(QPainter &painter, const QRectF &plot, const Axis &axis) const
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
        painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, text::formatCount(value));
    }
    const int minutes = int(SampleRing::Capacity * QueueHistory::Interval.count() / 60000);
    qreal free = std::numeric_limits<qreal>::max(); // to the left of what is written
    for (int minute = 0; minute <= minutes; ++minute) {
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

void DepthChart::paintSeries(QPainter &painter, const QRectF &plot, const Axis &axis,
                             const std::vector<Line> &lines) const
{
    const auto heightOf = [&](qint64 depth) { return plot.bottom() - plot.height() * qreal(depth) / qreal(axis.end); };
    for (const Line &line : lines) {
        QPainterPath path;
        for (std::size_t age = 0; age < line.size(); ++age) {
            const QPointF point(plot.right() - plot.width() * qreal(age) / (SampleRing::Capacity - 1),
                                heightOf(line.at(age)));
            age == 0 ? path.moveTo(point) : path.lineTo(point);
        }
        const QColor color = m_asOf.isEmpty() ? line.color : mutedText(palette());
        painter.setPen(QPen(color, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.setBrush(Qt::NoBrush);
        painter.drawPath(path);
        if (line.size() > 0) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            painter.drawEllipse(QPointF(plot.right(), heightOf(line.at(0))), 3, 3);
        }
    }
}

} // namespace drover::gui
