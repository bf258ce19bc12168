#pragma once

#include "app/cli/command.h"

namespace drover::app {

// The help of the whole program, with a line for every command.
QString helpText();
QString helpText(const Command &command);
// The help of the commands whose first word is `word`: "cron".
QString groupHelpText(const QString &word);

} // namespace drover::app
