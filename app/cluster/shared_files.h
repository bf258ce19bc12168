#pragma once

#include "app/environment/context.h"
#include "files/ledgers.h"

namespace drover::app {

// Parts of the commands about shared files.

// Returns the canonical path of the first argument, or the path as it was typed if its folder does not exist here.
async::Task<QString> sharedFilePath(Context &context);

// Throws jobs::NotFound, whose message says where to look.
async::Task<files::StoredLedger> requireLedger(Context &context, jobs::Cluster cluster, QString path);

QJsonObject ledgerJson(const files::StoredLedger &stored);

} // namespace drover::app
