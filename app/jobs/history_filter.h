#pragma once

#include "app/environment/context.h"
#include "history/query.h"

namespace drover::app {

// The options of `history` and `history export` that choose jobs.
QList<QCommandLineOption> historyFilterOptions();

// The query for the jobs that the options and the ids among the arguments choose, in the settings' cluster or in all
// clusters. Throws UsageError.
history::Query historyQuery(const Context &context);

} // namespace drover::app
