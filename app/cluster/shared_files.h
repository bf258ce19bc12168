#pragma once

#include "app/environment/context.h"
#include "files/ledgers.h"

namespace drover::app {

// Parts of the commands about shared files.

// The canonical path of the first argument. If its folder does not exist on this machine, the path as it was typed.
async::Task<QString> sharedFilePath(Context &context);

// Throws jobs::NotFound, whose message says where to look.
async::Task<files::StoredLedger> requireLedger(Context &context, jobs::Cluster cluster, QString path);

QJsonObject ledgerJson(const files::StoredLedger &stored);

} // namespace drover::app
