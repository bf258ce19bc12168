#pragma once

#include "app/command.h"

namespace drover::app {

// The whole program: every command in a line.
QString helpText();
QString helpText(const Command &command);
// The commands of two words that begin with this one: "cron".
QString groupHelpText(const QString &word);

} // namespace drover::app
