#pragma once

#include "gui/models/snapshot_model.h"

#include <QColor>
#include <QIcon>
#include <QPalette>
#include <QPixmap>

namespace drover::gui {

// Looks: the Fusion style under a light and a dark palette of our own. Colours that mean something are pairs, chosen by
// the palette in use, each with a contrast of at least 4.5 : 1 to the window's base.
enum class ThemeChoice { System, Light, Dark };

// Applies it to the whole application.
void applyTheme(ThemeChoice choice);

bool isDark(const QPalette &palette);
QColor toneColor(Tone tone, const QPalette &palette);
QColor seriesColor(int index, const QPalette &palette); // of a chart
QColor gridColor(const QPalette &palette);
QColor mutedText(const QPalette &palette);

// A filled circle of about the height of a text line.
QPixmap dot(const QColor &color, qreal devicePixelRatio);

QFont fixedFont();
QIcon applicationIcon();

} // namespace drover::gui
