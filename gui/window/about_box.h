#pragma once

class QWidget;

namespace drover::gui {

// Says what this program is, until the user has read it.
void showAbout(QWidget *over);

} // namespace drover::gui
