#pragma once

#include "async/task.h"
#include "zk/client.h"

#include <exception>

namespace drover::files {

// What an append throws whose guard no longer holds: AppendRevoked.
std::exception_ptr revokedBy(const zk::Path &guard);

// Why no record is reserved under this guard: AppendRevoked, or AccessDenied if an ACL hides its node. Null: it holds.
// For a transaction that was denied, because a server does not say for which node. The read begins with a sync, waits
// out lost connections, and throws SessionLost. The session outlives the task.
async::Task<std::exception_ptr> whyRefused(zk::Client &zk, zk::Transaction::Check guard);

} // namespace drover::files
