#pragma once

#include <QStringList>

namespace drover::app {

// What people type who come from Slurm, LSF, Kubernetes or a shell. All of it is data, in one place.

// The commands of drover that such a word may mean; empty: it is not known.
QStringList commandsLike(const QString &word);

// Whether it is the name of a command there that drover has nothing like.
bool hasNoCounterpart(const QString &word);

// The second words of drover's commands of two words that such a second word may mean. The caller leaves out those that
// its first word does not have.
QStringList secondWordsLike(const QString &word);

// What to say of two such words, as the end of a sentence; empty: nothing.
QString remarkAboutCommand(const QString &words);

// The options that such an option may mean, all without dashes. The caller leaves out those that its command does not
// have.
QStringList optionsLike(const QString &option);

// What to say of such an option that drover has nothing like, as the end of a sentence; empty: nothing.
QString remarkAbout(const QString &option);

} // namespace drover::app
