#pragma once

#include "gui/models/snapshot_model.h"

#include <QColor>
#include <QIcon>
#include <QPalette>
#include <QPixmap>

namespace drover::gui {

// The look of the console: the Fusion style with a light and a dark palette of our own. A colour with a meaning has one
// value for each palette, with a contrast of at least 4.5 : 1 to the window's base.
enum class ThemeChoice { System, Light, Dark };

// Applies the theme to the whole application.
void applyTheme(ThemeChoice choice);

bool isDark(const QPalette &palette);
QColor toneColor(Tone tone, const QPalette &palette);
QColor seriesColor(int index, const QPalette &palette); // of a chart
QColor gridColor(const QPalette &palette);
// Of a field, a check box or a tick: at least 3 : 1 to what is inside and to the window. The other one has the focus.
QColor fieldBorder(const QPalette &palette);
QColor focusBorder(const QPalette &palette);
QColor mutedText(const QPalette &palette);

// A filled circle of about the height of a text line.
QPixmap dot(const QColor &color, qreal devicePixelRatio);

QFont fixedFont();
QIcon applicationIcon();

} // namespace drover::gui
