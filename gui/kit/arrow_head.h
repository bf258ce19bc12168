#pragma once

#include <QPainterPath>

#include <cmath>

namespace drover::gui {

// A triangle whose tip is `tip`. `direction` and `spread`, half the angle at the tip, are in radians; `size` is the
// length of a side, in pixels.
inline QPainterPath arrowHead(const QPointF &tip, qreal direction, qreal size, qreal spread)
{
    const auto corner = [&](qreal angle) { return tip - size * QPointF(std::cos(angle), std::sin(angle)); };
    QPainterPath head(tip);
    head.lineTo(corner(direction + spread));
    head.lineTo(corner(direction - spread));
    head.closeSubpath();
    return head;
}

} // namespace drover::gui
