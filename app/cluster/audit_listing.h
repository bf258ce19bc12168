#pragma once

#include "app/environment/context.h"

namespace drover::app {

// The options of drover events that are for --audit alone: --by and --since, with their descriptions.
QList<QCommandLineOption> auditOptions();

// Prints who has changed what in the cluster, oldest first: the last `past` entries that the options choose. `queue`:
// of this queue and its jobs alone, unless it is empty. Throws UsageError, SessionLost, AccessDenied.
async::Task<void> listAudit(Context &context, jobs::Cluster cluster, QByteArray queue, qint64 past);

} // namespace drover::app
