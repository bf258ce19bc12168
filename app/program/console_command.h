#pragma once

#include <QByteArray>
#include <QCommandLineOption>
#include <QList>

namespace drover::app {

// What drover-console says of itself. Its help and its man page are made of the same description.

// The options that the help names, --help and --version among them.
QList<QCommandLineOption> consoleOptions();

QString consoleHelpText();

// The page in roff, UTF-8.
QByteArray consoleManualPage();

} // namespace drover::app
