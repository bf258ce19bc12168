#pragma once

#include "app/context.h"
#include "history/query.h"

namespace drover::app {

// The options by which `history` and `history export` say which jobs they mean.
QList<QCommandLineOption> historyFilterOptions();

// The jobs that the options and the ids among the arguments mean; of the settings' cluster, unless all are asked for.
// Throws UsageError.
history::Query historyQuery(const Context &context);

} // namespace drover::app
