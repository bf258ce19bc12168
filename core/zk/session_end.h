#pragma once

#include "zk/error.h"

namespace drover::zk {

// The session has ended: says so without the operation that learnt of it, which means nothing to people.
inline SessionLost sessionHasEnded()
{
    return SessionLost(QStringLiteral("the ZooKeeper session has ended: its servers were not reached in time"));
}

} // namespace drover::zk
