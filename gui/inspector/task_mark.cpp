#include "gui/inspector/task_mark.h"

#include "gui/widgets/theme.h"

#include <QPainter>
#include <QPainterPath>

namespace drover::gui {

namespace {

Tone toneOf(TaskState state)
{
    switch (state) {
    case TaskState::Failed:
        return Tone::Bad;
    case TaskState::Running:
        return Tone::Busy;
    case TaskState::Succeeded:
        return Tone::Good;
    case TaskState::Cancelled:
    case TaskState::Waiting:
    case TaskState::ToCome:
    case TaskState::Ended:
        break;
    }
    return Tone::Muted;
}

// In a square from 0 to 1.
QPainterPath signOf(TaskState state)
{
    QPainterPath sign;
    const auto line = [&sign](std::initializer_list<QPointF> points) {
        sign.moveTo(*points.begin());
        for (const QPointF &point : points)
            sign.lineTo(point);
    };
    switch (state) {
    case TaskState::Failed:
        line({{0.3, 0.3}, {0.7, 0.7}});
        line({{0.7, 0.3}, {0.3, 0.7}});
        break;
    case TaskState::Cancelled:
        line({{0.28, 0.5}, {0.72, 0.5}});
        break;
    case TaskState::Running:
        line({{0.38, 0.28}, {0.72, 0.5}, {0.38, 0.72}, {0.38, 0.28}});
        break;
    case TaskState::ToCome:
        sign.addEllipse(QPointF(0.5, 0.5), 0.07, 0.07);
        break;
    case TaskState::Ended:
        sign.moveTo(0.36, 0.38);
        sign.cubicTo(0.36, 0.2, 0.68, 0.2, 0.66, 0.42);
        sign.cubicTo(0.65, 0.52, 0.5, 0.5, 0.5, 0.62);
        line({{0.5, 0.75}, {0.5, 0.76}});
        break;
    case TaskState::Succeeded:
        line({{0.27, 0.52}, {0.43, 0.68}, {0.74, 0.33}});
        break;
    case TaskState::Waiting:
        break;
    }
    return sign;
}

// What has an outcome, or runs, is a full square: these are what one looks for.
bool isFull(TaskState state)
{
    return state == TaskState::Failed || state == TaskState::Running || state == TaskState::Succeeded;
}

} // namespace

void paintTaskMark(QPainter &painter, const QRectF &square, TaskState state, const QPalette &palette)
{
    const QColor color = toneColor(toneOf(state), palette);
    const qreal line = std::max(1.4, square.width() / 10);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(isFull(state) ? QPen(Qt::NoPen) : QPen(state == TaskState::ToCome ? gridColor(palette) : color, 1));
    painter.setBrush(isFull(state) ? QBrush(color) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(square.adjusted(0.5, 0.5, -0.5, -0.5), 2.5, 2.5);
    painter.translate(square.topLeft());
    painter.scale(square.width(), square.height());
    const QColor ink = isFull(state) ? palette.color(QPalette::Base) : color;
    painter.setPen(QPen(ink, line / square.width(), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(state == TaskState::Running || state == TaskState::ToCome ? QBrush(ink) : QBrush(Qt::NoBrush));
    painter.drawPath(signOf(state));
    painter.restore();
}

} // namespace drover::gui
