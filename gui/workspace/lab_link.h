#pragma once

namespace drover::gui {

class Shell;
class StartView;

// Adds the page Lab. The start view opens it in a window of its own, for it needs no connection.
void addLab(Shell &shell, const StartView &start);

} // namespace drover::gui
