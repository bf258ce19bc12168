#pragma once

#include <functional>

class QWidget;

namespace drover::gui {

// Reports to assistive technologies what the widget, a label as a rule, says now.
void announce(QWidget &widget);

// From now on `hear` is called with each such widget, too. Null ends that. Belongs to the GUI thread.
void alsoAnnounceTo(std::function<void(const QWidget &)> hear);

} // namespace drover::gui
