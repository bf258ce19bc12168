#pragma once

#include <QIcon>

namespace drover::gui {

// The icon of gui/icons with that file name, without ".svg". It is drawn when it is shown, at that size, in the
// application's text colour of that moment: so it follows the theme. QIcon::On draws it in the
// colour of links.
QIcon lineIcon(const QString &name);

} // namespace drover::gui
