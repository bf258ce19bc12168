#pragma once

#include "gui/output/line_search.h"
#include "gui/text/terminal_text.h"

#include <QWidget>

#include <functional>
#include <memory>

class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace drover::gui {

class OutputScroll;

// A job's output as a terminal shows it: colours, lines that are written over, marks for other control characters. It
// is the end of what grows, or all of what has ended, which stays in its file. A bar finds text and the next line that
// tells of an error.
class JobOutput final : public QWidget
{
    Q_OBJECT

public:
    static constexpr int MaxLines = 5000; // that are kept of what grows

    explicit JobOutput(QWidget *parent = nullptr);

    void add(const QString &text); // follows the end while the end is seen
    // All of the output, at its end, in the place of what is shown.
    void showWhole(std::shared_ptr<const OutputFile> file);
    void clear();
    bool isEmpty() const;
    int lineCount() const; // of what has grown
    const std::shared_ptr<const OutputFile> &whole() const; // since showWhole(); null: the end of what grows is shown
    bool isWhole() const { return whole() != nullptr; }

    // Select the next or previous place after the selection, from the other end again if there is none. False: there is
    // none at all, which the bar says; or the whole output is searched now, and searched() tells the result. Another
    // search, another word or the Escape key gives that up.
    bool find(bool backward = false);
    bool findError();
    // Writes what is shown, or the whole output as the job has written it. Returns what failed, in one line, or
    // nothing. Blocks.
    QString saveTo(const QString &path) const;

Q_SIGNALS:
    void searched(bool found);

protected:
    bool event(QEvent *event) override;

private:
    // A search under way.
    struct Wanted {
        std::function<bool()> select; // the next place in the editor, after the cursor
        LineSearch::Fits fits; // whether another line of the file has such a place
        bool backward = false;
    };
    bool lookFor(const Wanted &wanted);
    void selectIn(qint64 line);
    bool tell(bool found);
    void giveUp();
    void focusField();
    void askWhereToSave();
    void save(const QString &path);

    TerminalText m_terminal;
    QPlainTextEdit *m_text;
    QLineEdit *m_field;
    QLabel *m_none;
    OutputScroll *m_scroll;
    LineSearch *m_search;
    Wanted m_wanted; // that m_search looks for
};

} // namespace drover::gui
