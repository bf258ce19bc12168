#pragma once

#include "app/cli/command.h"

#include <QStringList>

namespace drover::app {

// One possible word at the cursor.
struct Candidate {
    QString word;
    QString about{}; // a few words of description, or empty
};

// The words that may stand at the end of an unfinished command line.
struct ExpectedWord {
    QString fixed; // the fixed beginning of the word: "--queue=", "default-3,"
    QString begun; // the typed part of the rest
    QList<Candidate> words{}; // known without the cluster; not filtered
    QList<CompletionKind> kinds{}; // kinds of names that must be looked up
    qsizetype program = -1; // index of the first word of a program to run; -1: none
};

// `words` are the words after "drover". The last one is at the cursor, and may be incomplete. Commands and options come
// from the registry; the kinds of their arguments come from Command::takes and from the options' placeholders. A
// placeholder "a|b|c" lists the words themselves. The result is empty for a line that no command accepts.
ExpectedWord expectedWord(const QStringList &words);

// The kind for the placeholder of an option: "QUEUE".
CompletionKind kindOfPlaceholder(const QString &placeholder);

} // namespace drover::app
