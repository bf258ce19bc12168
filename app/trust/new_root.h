#pragma once

#include "app/environment/context.h"

namespace drover::app {

// A new root key for a closed cluster, and new passwords for all roles. The steps, and what happens if one fails, are
// in jobs/cluster/root_rotation.h. The new root key is beside the old one until the end, as FILE.new.

struct RootBegun {
    QStringList holders{}; // the names on the certificates that are valid: they get the new secrets
    int nodes = 0; // whose ACLs have changed
    QString newFile{}; // of the new root key
    QStringList workersBehind{}; // at the moment
};
// Throws WrongState if another administrator is at it with another key, or ends or abandons it. All three throw
// trust::Untrusted if the revocation list is missing or older than the one that is kept beside the root key.
async::Task<RootBegun> beginNewRoot(Context &context);

struct RootEnded {
    int nodes = 0;
    QStringList leftBehind{}; // workers that have not taken the end yet
};
// Throws CommandError (WrongState) if no root key is being replaced, or workers are behind and `insists` is false.
async::Task<RootEnded> endNewRoot(Context &context, bool insists);

struct RootAbandoned {
    int nodes = 0;
    QStringList workersBehind{}; // still believe the new root key, and go on
};
// Needs the old root key alone. Throws CommandError (WrongState) if no root key is being replaced, and WrongState if
// its end has begun.
async::Task<RootAbandoned> abandonNewRoot(Context &context);

} // namespace drover::app
