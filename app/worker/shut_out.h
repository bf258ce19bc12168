#pragma once

#include "app/environment/context.h"

namespace drover::app {

// Why a worker must not be in its cluster. A cluster is open to all clients, or to none without credentials. A worker
// that mixes the two would run the jobs of strangers, or make nodes that the others cannot read. A certificate that is
// revoked or has expired is worth nothing.

// Throws CommandError (Denied). A revocation list that is missing or not believed says nothing of this worker. Throws
// SessionLost.
async::Task<void> requireAccess(const Context &context, zk::Client &session);

// Returns why it is shut out, once it is: without credentials when the cluster is closed, and otherwise when its
// certificate is revoked or expires. It learns of the first within 5 s, of a revocation at once, and of the end within
// a minute. Throws SessionLost.
async::Task<QString> untilShutOut(const Context &context, zk::Client &session);

} // namespace drover::app
