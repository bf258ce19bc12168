#pragma once

#include "gui/kit/chart_scale.h"

#include <QFontMetrics>
#include <QRectF>

class QPainter;
class QPalette;

namespace drover::gui {

// The times below a picture in which time goes from left to right. Each tick is a round moment of local time; at the
// end stands a word such as "now". Labels that would touch, or leave the picture, are left out.
struct TimeRuler {
    QRectF plot;
    qint64 from = 0; // at the left edge; ms of the Unix epoch, as is the next
    qint64 until = 1; // at the right edge; later than `from`
    QString end{}; // at the right edge; may be empty
    qreal up = 0; // pixels that the line of a tick reaches into the picture
    qreal down = 0; // and below it

    qreal xOf(qint64 at) const { return plot.left() + plot.width() * qreal(at - from) / qreal(until - from); }
    TimeAxis axis(const QFontMetrics &metrics) const; // as many ticks as have room
    void paint(QPainter &painter, const QPalette &palette) const; // in the font of the painter
    static qreal height(const QFontMetrics &metrics) { return metrics.height() + 6; } // of the labels
};

} // namespace drover::gui
