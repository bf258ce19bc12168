#pragma once

#include "gui/output/output_file.h"

#include <QObject>
#include <QTimer>

#include <memory>

class QPlainTextEdit;
class QScrollBar;

namespace drover::gui {

// Shows an OutputFile in an editor that holds only some hundred of its lines, and others as one scrolls. So a file of
// any length costs the same memory and time. A scroll bar for all lines covers the editor's own, which has only those.
// A selection stays while all of it is in the editor.
class OutputScroll final : public QObject
{
    Q_OBJECT

public:
    OutputScroll(QPlainTextEdit *text, QObject *parent); // `text` outlives it

    void open(std::shared_ptr<const OutputFile> file); // shows its end
    void close(); // the editor is empty, and like any other
    const std::shared_ptr<const OutputFile> &file() const { return m_file; } // null: none is open

    // The lines in the editor. The block n of its document is line first() + n.
    qint64 first() const { return m_first; }
    qint64 end() const { return m_end; } // beyond the last one
    qint64 cursorLine() const;
    // Puts the cursor to the beginning of the line, or to its end, where it can be seen.
    void goTo(qint64 line, bool atItsEnd = false);

Q_SIGNALS:
    void allWanted(); // all was to be selected, and the editor has only a part

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    bool hasAll() const { return m_end - m_first >= m_file->lines(); }
    void openMenu(const QPoint &place); // of the screen
    void load(qint64 around);
    void showAtTop(qint64 line, int row = 0); // `row`: of a line that is wrapped
    void showEnd();
    void followBar(int value);
    void followText();
    void loadWhatIsNear();
    void measure();
    void settle(); // in another size, or when it is seen
    qint64 top() const; // the first line that is seen

    QPlainTextEdit *m_text;
    QScrollBar *m_bar;
    std::shared_ptr<const OutputFile> m_file;
    qint64 m_first = 0;
    qint64 m_end = 0;
    bool m_isMoving = false; // by this object
    bool m_isAtEnd = false;
    int m_row = -1; // where the editor stood at the last look
    QTimer m_later; // never within a key or wheel event of the editor
};

} // namespace drover::gui
