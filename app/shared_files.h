#pragma once

#include "app/context.h"
#include "workers/files/ledgers.h"

namespace drover::app {

// What the commands about shared files have in common.

// The canonical path that the first argument names. Where its folder is not to be found, on a machine that does not
// have the file, the path as it is written.
async::Task<QString> sharedFilePath(Context &context);

// Throws jobs::NotFound, naming where to look.
async::Task<workers::StoredLedger> requireLedger(Context &context, zk::Coordinator &zk, QString path);

QJsonObject ledgerJson(const workers::StoredLedger &stored);

} // namespace drover::app
