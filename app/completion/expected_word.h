#pragma once

#include "app/command.h"

#include <QStringList>

namespace drover::app {

// One thing that may stand at the cursor.
struct Candidate {
    QString word;
    QString about{}; // a few words; empty: it speaks for itself
};

// What may stand at the end of a command line that is not finished.
struct ExpectedWord {
    QString fixed; // what the word at the cursor begins with whatever is chosen: "--queue=", "default-3,"
    QString begun; // what has been typed of the rest
    QList<Candidate> words{}; // all that are known without asking anybody, whatever has been typed
    QList<ValueKind> kinds{}; // what else there is has to be looked for
    qsizetype program = -1; // a program of the user's begins with this word; the shell knows how to go on
};

// `words` are those after "drover"; the last is the one at the cursor, as far as it has been typed. Everything comes
// from the registry: commands and options, and what they take from Command::takes and the options' placeholders, where
// "a|b|c" are the words themselves. A line that no command accepts expects nothing.
ExpectedWord expectedWord(const QStringList &words);

// The kind that goes by the placeholder of an option: "QUEUE".
ValueKind kindOfPlaceholder(const QString &placeholder);

} // namespace drover::app
