#pragma once

#include <QPlainTextEdit>

namespace drover::gui {

// A few lines that a program reads, such as a command. The Tab key leaves the field.
class CodeEdit final : public QPlainTextEdit
{
    Q_OBJECT

public:
    CodeEdit(int lines, const QString &placeholder);

    QString text() const; // as typed, with no-break spaces, which toPlainText() makes blanks
};

} // namespace drover::gui
