#pragma once

#include "zk/client.h"

namespace drover::workers {

// The election's node is gone: another master leads, or will.
class Deposed : public std::runtime_error
{
public:
    Deposed() : std::runtime_error("deposed") { }
};

// Commits a transaction of the master: its first operation is the guard of the election's fence. Waits out lost
// connections, so a transaction that was carried out may be refused when it is repeated. Returns the index of the
// operation that was refused, and with it the transaction; nothing if it was carried out. Throws Deposed, SessionLost,
// AccessDenied.
async::Task<std::optional<std::size_t>> commitAsMaster(zk::Client &zk, zk::Transaction transaction);

} // namespace drover::workers
