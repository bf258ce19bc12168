#pragma once

#include <QLabel>
#include <QMessageBox>

namespace drover::gui {

// Qt's labels take a text that looks like HTML for HTML, and texts of others are shown here. All labels of the console
// are made by these functions; the test of the windows looks at each.

// A label that shows every text as it is written. Its owner is the layout that it is put into.
QLabel *plainLabel(const QString &text = {});

// A plain label of one line that gives way to others: without room for all, it shows the first parts, or ends with "…".
QLabel *elidingLabel();

// Does the same for a message box, the labels included that Qt makes for it. Call it after the texts are set.
void showPlainly(QMessageBox &box);

// Opens a warning over the widget, which stays until it has been read. It shows the first eight of the reasons, with
// control characters made visible, and says how many more there are.
void complain(QWidget *over, const QString &title, const QString &text, const QStringList &reasons);

} // namespace drover::gui
