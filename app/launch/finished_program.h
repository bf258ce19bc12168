#pragma once

#include <QByteArray>
#include <QStringList>

namespace drover::app {

// What a program of this machine has printed when it has ended with exit code 0. Blocks, for `limitMs` at most. Throws
// CommandError: "cannot DOING: ..." with what it printed as its error.
QByteArray outputOf(const QString &program, const QStringList &arguments, int limitMs, const QString &doing);

} // namespace drover::app
