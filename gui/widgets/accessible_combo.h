#pragma once

#include <QLabel>

namespace drover::gui {

// From then on a screen reader hears what a combo box is for, and then its value. Qt 6.4 gives the value as the name on
// Linux. To call it again does nothing.
void nameComboBoxes();

// The label names the field: for the keyboard, and for a screen reader. That holds for the text of a combo box, too.
void nameField(QLabel &label, QWidget &field);

} // namespace drover::gui
