#pragma once

#include <QString>
#include <QStringList>

namespace drover::app {

// The properties of standard output or error as a terminal.
struct Terminal {
    bool isTerminal = false;
    bool canBeDrawn = false; // a terminal, and TERM is neither unset nor "dumb"
    bool colour = false; // canBeDrawn, and NO_COLOR is unset or empty
    int width = 0; // columns; 0: not a terminal, lines are not cut

    static Terminal of(int fd);
};

// The number of columns that `text` takes on a terminal.
int displayWidth(const QString &text);

// `text` cut to `width` columns, the last of them an ellipsis.
QString elided(const QString &text, int width);

// `text` in lines of at most `width` columns; a longer word stays whole, so that people can copy it. Each break stands
// for one blank: the lines joined by blanks are `text`. One line if `width` is 0.
QStringList wrapped(const QString &text, int width);

} // namespace drover::app
