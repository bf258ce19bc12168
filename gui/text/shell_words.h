#pragma once

#include <QString>
#include <QStringList>

namespace drover::gui {

// Splits a command line as a POSIX shell would (IEEE 1003.1, "Quoting"). Blanks separate, '…' keeps everything, "…"
// keeps all but \" \\ \$ \` and \newline, a backslash keeps the next character. Nothing is expanded.
struct ShellWords {
    QStringList words;
    QString error; // one line for people; empty if the line is well-formed
    // The first unquoted character that a shell would act upon (| & ; < > $ * ...) and Drover passes on as it is.
    QChar operatorSeen;
};

ShellWords splitShellWords(const QString &line);

// The inverse, for display: each word quoted only if it has to be.
QString joinShellWords(const QStringList &words);

} // namespace drover::gui
