#pragma once

#include <QString>
#include <QStringList>

namespace drover::app {

// Standard output or error as a person sees it, if a person sees it.
struct Terminal {
    bool isTerminal = false;
    bool canBeDrawn = false; // a terminal that moves its cursor: TERM is neither unset nor "dumb"
    bool colour = false; // can be drawn, and NO_COLOR is unset or empty
    int width = 0; // columns; 0: not a terminal, nothing is cut

    static Terminal of(int fd);
};

// Columns that `text` takes on a terminal.
int displayWidth(const QString &text);

// Control characters made visible ("\x1b"), so that what others wrote into a znode cannot drive the terminal.
QString printable(const QString &text);

// `text` cut to `width` columns, the last of them an ellipsis.
QString elided(const QString &text, int width);

// `text` in lines of at most `width` columns, broken at its blanks; a word that is longer stays whole, so that what is
// to be typed can be copied. One line if `width` is 0.
QStringList wrapped(const QString &text, int width);

} // namespace drover::app
