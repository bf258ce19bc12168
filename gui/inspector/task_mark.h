#pragma once

#include "gui/models/array_model.h"

#include <QRectF>

class QPainter;
class QPalette;

namespace drover::gui {

// Draws how a task is as a small square: its colour and its sign both say it. A cross has failed, a bar was cancelled,
// a triangle runs, and an empty square waits. A dot is still to come. A tick has succeeded, and a question mark has
// ended in a way that is not known.
void paintTaskMark(QPainter &painter, const QRectF &square, TaskState state, const QPalette &palette);

} // namespace drover::gui
