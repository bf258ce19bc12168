#pragma once

#include "gui/text/terminal_text.h"

#include <QWidget>

#include <functional>

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QTextCharFormat;

namespace drover::gui {

// The end of a job's output as a terminal shows it: colours, lines that are written over, marks for other control
// characters. A bar finds text and the next line that tells of an error.
class JobOutput final : public QWidget
{
    Q_OBJECT

public:
    explicit JobOutput(QWidget *parent = nullptr);

    void add(const QString &text); // follows the end while the end is seen
    void clear();
    bool isEmpty() const;

    // Select the next or previous place after the selection, from the other end again if there is none. False: there is
    // none at all, which the bar says.
    bool find(bool backward = false);
    bool findError();
    // Writes what is shown. Returns what failed, in one line, or nothing.
    QString saveTo(const QString &path) const;

protected:
    bool event(QEvent *event) override;

private:
    QTextCharFormat formatOf(const TerminalText::Style &style) const;
    bool select(const std::function<bool()> &search);
    void focusField();
    void askWhereToSave();

    TerminalText m_terminal;
    QPlainTextEdit *m_text;
    QLineEdit *m_field;
    QLabel *m_none;
};

} // namespace drover::gui
