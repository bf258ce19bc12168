#include "gui/kit/chart.h"

#include "gui/kit/time_ruler.h"
#include "gui/text/format.h"
#include "gui/widgets/theme.h"
#include "text/quantity.h"

#include <QDateTime>
#include <QKeyEvent>
#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>

namespace drover::gui {

namespace {

constexpr double WheelStep = 0.8; // of the span, for a notch of the wheel
constexpr int Notch = 120; // of QWheelEvent::angleDelta()

} // namespace

struct Chart::Frame {
    QRectF plot;
    qint64 from = 0;
    qint64 until = 0;
    bool isPast = false; // it ended before the moment at which the frame was made
    ValueAxis values;

    qreal xOf(qint64 at) const { return plot.left() + plot.width() * qreal(at - from) / qreal(until - from); }
    qreal yOf(qint64 value) const { return plot.bottom() - plot.height() * qreal(value) / qreal(values.end); }
    int pixels() const { return std::max(1, int(plot.width())); }
};

Chart::Chart(const QString &title, const TimeWindow &window, QWidget *parent)
    : QWidget(parent), m_title(title), m_window(window)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(title);
}

void Chart::setStale(const QString &asOf)
{
    if (asOf.isEmpty())
        m_staleSince = 0;
    else if (m_asOf.isEmpty())
        m_staleSince = clock();
    m_asOf = asOf;
    update();
}

void Chart::sayWhenEmpty(const QString &text)
{
    m_whenEmpty = text;
    update();
}

void Chart::moveWith(Chart &other)
{
    for (const auto &[from, to] : {std::pair(this, &other), std::pair(&other, this)}) {
        connect(from, &Chart::windowChanged, to, &Chart::setWindow);
        connect(from, &Chart::pointed, to, [chart = to](qint64 at) {
            chart->m_pointed = at;
            chart->update();
        });
    }
}

QString Chart::valueText(qint64 value) const
{
    return text::formatCount(value);
}

QStringList Chart::legends() const
{
    QStringList legends;
    const std::vector<Series> shown = series();
    for (const Series &one : shown)
        legends << one.legend;
    return legends;
}

QString Chart::wordsAt(qint64 at) const
{
    const QDateTime moment = QDateTime::fromMSecsSinceEpoch(at);
    const bool isToday = moment.date() == QDateTime::fromMSecsSinceEpoch(now()).date();
    const QString clock = moment.toString(QStringLiteral("HH:mm:ss"));
    const QString time = isToday ? clock : formatDay(at) + u' ' + clock;
    QStringList values;
    const std::vector<Series> shown = series();
    for (const Series &one : shown) {
        const qint64 value = valueAt(one.points, at);
        values << tr("%1 %2", "name, value").arg(one.name, value < 0 ? tr("not known") : valueText(value));
    }
    return tr("%1: %2", "time, values").arg(time, values.join(QStringLiteral(", ")));
}

qint64 Chart::clock() const
{
    return QDateTime::currentMSecsSinceEpoch();
}

qint64 Chart::now() const
{
    return m_staleSince > 0 ? m_staleSince : clock();
}

qint64 Chart::momentAt(qreal x) const
{
    const qint64 present = now();
    const qint64 from = m_window.from(present);
    const qint64 until = m_window.until(present);
    const qreal share = (std::clamp(x, m_plot.left(), m_plot.right()) - m_plot.left()) / std::max(1.0, m_plot.width());
    return from + qint64(share * qreal(until - from));
}

Chart::Frame Chart::frameIn(const QRectF &area, const std::vector<Series> &series) const
{
    Frame frame;
    const qint64 present = now(); // once: a moment later, a chart that follows the present would end in the past
    frame.from = m_window.from(present);
    frame.until = m_window.until(present);
    frame.isPast = frame.until < present;
    qint64 maximum = 0;
    for (const Series &one : series) {
        const std::vector<ChartPoint> seen = thinned(one.points, frame.from, frame.until, int(area.width()));
        for (const ChartPoint &point : seen)
            maximum = std::max(maximum, point.value);
    }
    frame.values = ValueAxis::upTo(maximum);
    qreal labels = 0;
    for (qint64 value = 0; value <= frame.values.end; value += frame.values.step)
        labels = std::max<qreal>(labels, fontMetrics().horizontalAdvance(valueText(value)) + 10);
    frame.plot = area.adjusted(labels, fontMetrics().height() / 2.0, 0, -TimeRuler::height(fontMetrics()));
    return frame;
}

void Chart::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QRectF area = QRectF(rect()).adjusted(12, 10, -14, -8);
    const std::vector<Series> shown = series();
    m_plot = {};
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
    const Frame frame = frameIn(paintLegend(painter, area, shown), shown);
    m_plot = frame.plot;
    paintGrid(painter, frame);
    painter.save();
    painter.setClipRect(frame.plot.adjusted(0, -4, 4, 4));
    for (const Series &one : shown)
        paintSeries(painter, frame, one);
    painter.restore();
    if (m_pointed > frame.from && m_pointed <= frame.until)
        paintPointer(painter, frame);
    if (hasFocus()) {
        painter.setPen(palette().color(QPalette::Highlight));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5));
    }
}

QRectF Chart::paintLegend(QPainter &painter, const QRectF &area, const std::vector<Series> &series) const
{
    const QFontMetrics metrics = fontMetrics();
    constexpr qreal Mark = 16; // before the text
    constexpr qreal Between = 14;
    qreal all = -Between;
    for (const Series &one : series)
        all += Mark + metrics.horizontalAdvance(one.legend) + Between;
    const bool isBrief = m_hasBriefLegend && all > area.width();
    qreal x = area.left();
    qreal y = area.top();
    for (const Series &one : series) {
        const QString &legend = isBrief ? one.name : one.legend;
        const qreal width = Mark + metrics.horizontalAdvance(legend);
        if (x > area.left() && x + width > area.right()) {
            x = area.left();
            y += metrics.height() + 4;
        }
        const qreal middle = y + metrics.height() / 2.0;
        const bool stale = !m_asOf.isEmpty();
        painter.setPen(QPen(stale ? mutedText(palette()) : one.color, 3, Qt::SolidLine, Qt::RoundCap));
        painter.drawLine(QPointF(x + 1, middle), QPointF(x + 10, middle));
        painter.setPen(stale ? mutedText(palette()) : palette().color(QPalette::Text));
        painter.drawText(QRectF(x + Mark, y, width, metrics.height()), Qt::AlignLeft | Qt::AlignVCenter, legend);
        x += width + Between;
    }
    return area.adjusted(0, y - area.top() + metrics.height() + 8, 0, 0);
}

void Chart::paintGrid(QPainter &painter, const Frame &frame) const
{
    const QFontMetrics metrics = fontMetrics();
    const QColor text = mutedText(palette());
    const bool isLow = frame.plot.height() / qreal(frame.values.end / frame.values.step) < metrics.height();
    for (qint64 value = 0; value <= frame.values.end; value += frame.values.step) {
        if (isLow && value != 0 && value != frame.values.end)
            continue; // their labels would touch
        const qreal y = std::round(frame.yOf(value)) + 0.5;
        painter.setPen(gridColor(palette()));
        painter.drawLine(QPointF(frame.plot.left(), y), QPointF(frame.plot.right(), y));
        painter.setPen(text);
        const QRectF label(0, y - metrics.height() / 2.0, frame.plot.left() - 8, metrics.height());
        painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter, valueText(value));
    }
    const QString end = frame.isPast ? QString() : m_asOf.isEmpty() ? tr("now") : m_asOf;
    TimeRuler{.plot = frame.plot, .from = frame.from, .until = frame.until, .end = end}.paint(painter, palette());
}

void Chart::paintSeries(QPainter &painter, const Frame &frame, const Series &series) const
{
    const std::vector<ChartPoint> points = thinned(series.points, frame.from, frame.until, frame.pixels());
    const QColor color = m_asOf.isEmpty() ? series.color : mutedText(palette());
    const QPen pen(color, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    painter.setPen(pen);
    painter.setBrush(Qt::NoBrush);
    QPainterPath path;
    bool isBroken = true; // the next point begins a line
    for (const ChartPoint &point : points) {
        const QPointF place(frame.xOf(point.at), frame.yOf(std::max<qint64>(0, point.value)));
        if (point.value >= 0)
            isBroken ? path.moveTo(place) : path.lineTo(place);
        isBroken = point.value < 0;
    }
    painter.drawPath(path);
    if (!points.empty() && points.back().value >= 0 && !frame.isPast) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawEllipse(QPointF(frame.xOf(points.back().at), frame.yOf(points.back().value)), 3, 3);
    }
}

void Chart::paintPointer(QPainter &painter, const Frame &frame) const
{
    const qreal x = std::round(frame.xOf(m_pointed)) + 0.5;
    painter.setPen(QPen(mutedText(palette()), 1, Qt::DashLine));
    painter.drawLine(QPointF(x, frame.plot.top()), QPointF(x, frame.plot.bottom()));
    const QString words = wordsAt(m_pointed);
    const qreal width = std::min<qreal>(fontMetrics().horizontalAdvance(words) + 17, frame.plot.width());
    QRectF box(x + 8, frame.plot.top() + 2, width, fontMetrics().height() + 8);
    if (box.right() > frame.plot.right())
        box.moveRight(std::max(x - 8, frame.plot.left() + width));
    painter.setPen(fieldBorder(palette()));
    painter.setBrush(palette().color(QPalette::ToolTipBase));
    painter.drawRoundedRect(box, 4, 4);
    painter.setPen(palette().color(QPalette::ToolTipText));
    const QString fitting = fontMetrics().elidedText(words, Qt::ElideRight, int(width) - 14);
    painter.drawText(box.adjusted(8, 0, -6, 0), Qt::AlignLeft | Qt::AlignVCenter, fitting);
}

void Chart::setWindow(const TimeWindow &window)
{
    m_window = window;
    update();
}

void Chart::change(const TimeWindow &window)
{
    setWindow(window);
    Q_EMIT windowChanged(window);
}

void Chart::point(qint64 at)
{
    if (at == m_pointed)
        return;
    m_pointed = at;
    update();
    Q_EMIT pointed(at);
}

// Its legends are read to those who do not see the picture.
bool Chart::event(QEvent *event)
{
    if (event->type() == QEvent::FocusIn)
        setAccessibleDescription(legends().join(QStringLiteral(", ")));
    return QWidget::event(event);
}

void Chart::wheelEvent(QWheelEvent *event)
{
    const int delta = event->angleDelta().y();
    if (m_plot.isEmpty() || delta == 0)
        return event->ignore();
    TimeWindow next = m_window;
    next.zoom(std::pow(WheelStep, double(delta) / Notch), momentAt(event->position().x()), now());
    change(next);
    point(momentAt(event->position().x()));
    event->accept();
}

void Chart::mousePressEvent(QMouseEvent *event)
{
    if (event->button() != Qt::LeftButton || m_plot.isEmpty())
        return event->ignore();
    m_dragged = event->position().x();
}

void Chart::mouseMoveEvent(QMouseEvent *event)
{
    const qreal x = event->position().x();
    if (m_dragged && !m_plot.isEmpty()) {
        const qint64 span = m_window.until(now()) - m_window.from(now());
        TimeWindow next = m_window;
        next.move(qint64((*m_dragged - x) / m_plot.width() * qreal(span)), now());
        m_dragged = x;
        change(next);
    }
    point(m_plot.adjusted(-1, -20, 1, 20).contains(event->position()) ? momentAt(x) : 0);
}

void Chart::mouseReleaseEvent(QMouseEvent *event)
{
    m_dragged.reset();
    event->accept();
}

void Chart::mouseDoubleClickEvent(QMouseEvent *event)
{
    TimeWindow next = m_window;
    next.reset();
    change(next);
    event->accept();
}

void Chart::leaveEvent(QEvent *event)
{
    point(0);
    QWidget::leaveEvent(event);
}

void Chart::keyPressEvent(QKeyEvent *event)
{
    const qint64 until = m_window.until(now());
    const qint64 span = until - m_window.from(now());
    TimeWindow next = m_window;
    switch (event->key()) {
    case Qt::Key_Plus:
        next.zoom(WheelStep, until, now());
        break;
    case Qt::Key_Minus:
        next.zoom(1 / WheelStep, until, now());
        break;
    case Qt::Key_Left:
        next.move(-span / 4, now());
        break;
    case Qt::Key_Right:
        next.move(span / 4, now());
        break;
    case Qt::Key_Home:
    case Qt::Key_Escape:
        next.reset();
        break;
    default:
        return QWidget::keyPressEvent(event);
    }
    if (next == m_window)
        return QWidget::keyPressEvent(event); // the page may do something by this key
    change(next);
}

} // namespace drover::gui
