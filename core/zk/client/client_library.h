#pragma once

// The C client, for the two classes that call it, ClientHandle and ClientCalls. THREADED stays undefined, because the
// Qt event loop drives it.
#include "zk/types.h"

#include <zookeeper/zookeeper.h>

namespace drover::zk {

inline Stat fromC(const ::Stat &stat)
{
    return {stat.czxid,    stat.mzxid,          stat.ctime,      stat.mtime,       stat.version, stat.cversion,
            stat.aversion, stat.ephemeralOwner, stat.dataLength, stat.numChildren, stat.pzxid};
}

} // namespace drover::zk
