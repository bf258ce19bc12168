#include "gui/pages/replay/time_line.h"

#include "gui/text/format.h"
#include "gui/widgets/theme.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace drover::gui {

namespace {

constexpr int Height = 26; // of the track
constexpr int Padding = 12;
constexpr qreal Knob = 6;
constexpr int Steps = 200; // of the arrow keys, over the whole range

} // namespace

TimeLine::TimeLine(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Time line of the recording"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setToolTip(tr("Drag the full handle to a moment, and the hollow one to list the events since then"));
}

QSize TimeLine::sizeHint() const
{
    return {400, Height + int(Knob) * 2 + int(TimeRuler::height(fontMetrics())) + 4};
}

void TimeLine::showSpans(const QList<RecordedSpan> &spans)
{
    m_spans = spans;
    update();
}

void TimeLine::setRange(qint64 from, qint64 until)
{
    m_from = from;
    m_until = std::max(until, from + 1);
    update();
}

void TimeLine::setHandles(qint64 since, qint64 moment)
{
    m_since = since;
    m_moment = moment;
    describe();
    update();
}

void TimeLine::describe()
{
    setAccessibleDescription(tr("The moment %1; events since %2").arg(formatInstant(m_moment), formatInstant(m_since)));
}

QRectF TimeLine::track() const
{
    return QRectF(Padding, Knob * 2, std::max(1, width() - 2 * Padding), Height);
}

qreal TimeLine::placeOf(qint64 at) const
{
    return ruler().xOf(at);
}

qint64 TimeLine::timeAt(qreal x) const
{
    const QRectF area = track();
    const qreal part = std::clamp((x - area.left()) / area.width(), 0.0, 1.0);
    return m_from + qint64(part * qreal(m_until - m_from));
}

void TimeLine::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintTrack(painter);
    ruler().paint(painter, palette());
    paintHandles(painter);
}

void TimeLine::paintTrack(QPainter &painter) const
{
    const QRectF area = track();
    painter.fillRect(area, palette().color(QPalette::Base));
    painter.fillRect(area, QBrush(gridColor(palette()), Qt::BDiagPattern));
    painter.save();
    painter.setClipRect(area);
    QColor recorded = toneColor(Tone::Busy, palette());
    recorded.setAlphaF(0.35F);
    const auto fill = [&](qint64 from, qint64 until, const QColor &color) {
        QRectF place = area;
        place.setLeft(placeOf(from));
        place.setRight(std::max(placeOf(until), place.left() + 1));
        painter.fillRect(place, color);
    };
    for (const RecordedSpan &span : m_spans) {
        if (span.until < m_from || span.from > m_until)
            continue;
        fill(span.from, span.until, palette().color(QPalette::Base));
        fill(span.from, span.until, recorded);
        if (m_since < span.until && m_moment > span.from) // a gap stays hatched between the handles
            fill(std::max(m_since, span.from), std::min(m_moment, span.until), recorded);
    }
    painter.restore();
    painter.setPen(hasFocus() ? palette().color(QPalette::Highlight) : fieldBorder(palette()));
    painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5));
}

TimeRuler TimeLine::ruler() const
{
    return {.plot = track(), .from = m_from, .until = m_until, .down = 4};
}

void TimeLine::paintHandles(QPainter &painter) const
{
    const QRectF area = track();
    const QColor strong = palette().color(QPalette::Text);
    const auto inside = [&](qint64 at) { return std::clamp(placeOf(at), area.left(), area.right()); };
    painter.setPen(QPen(strong, 1));
    painter.drawLine(QPointF(inside(m_since), area.top() - Knob), QPointF(inside(m_moment), area.top() - Knob));
    for (const bool isSince : {true, false}) {
        const qreal x = placeOf(isSince ? m_since : m_moment);
        if (x < area.left() - 1 || x > area.right() + 1)
            continue;
        painter.setPen(QPen(strong, isSince ? 1 : 2));
        painter.drawLine(QPointF(x, area.top() - Knob), QPointF(x, area.bottom()));
        painter.setBrush(isSince ? palette().color(QPalette::Window) : strong);
        painter.drawEllipse(QPointF(x, area.top() - Knob), Knob - (isSince ? 1.5 : 0.5), Knob - (isSince ? 1.5 : 0.5));
    }
}

void TimeLine::mousePressEvent(QMouseEvent *event)
{
    const qreal x = event->position().x();
    const qreal toSince = std::abs(x - placeOf(m_since));
    m_dragsSince = toSince < 2 * Knob && toSince < std::abs(x - placeOf(m_moment));
    choose(x);
}

void TimeLine::mouseMoveEvent(QMouseEvent *event)
{
    if (event->buttons() & Qt::LeftButton)
        choose(event->position().x());
}

void TimeLine::choose(qreal x)
{
    if (m_dragsSince)
        Q_EMIT sinceChosen(timeAt(x));
    else
        Q_EMIT momentChosen(timeAt(x));
}

void TimeLine::keyPressEvent(QKeyEvent *event)
{
    const qint64 step = std::max<qint64>(1, (m_until - m_from) / Steps);
    switch (event->key()) {
    case Qt::Key_Left:
        return Q_EMIT momentChosen(m_moment - step);
    case Qt::Key_Right:
        return Q_EMIT momentChosen(m_moment + step);
    case Qt::Key_Home:
        return Q_EMIT momentChosen(m_from);
    case Qt::Key_End:
        return Q_EMIT momentChosen(m_until);
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace drover::gui
