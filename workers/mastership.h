#pragma once

#include "zk/coordinator.h"

namespace drover::workers {

// The election node is gone: somebody else leads, or will.
class Deposed : public std::runtime_error
{
public:
    Deposed() : std::runtime_error("deposed") { }
};

// Commits what a master writes: its first operation is the guard of the election's fence. Waits out lost connections,
// so an operation that was carried out may be refused when it is repeated. The operation that was refused, and with it
// all of them; -1 if none was. Throws Deposed, SessionLost, AccessDenied.
async::Task<int> commitAsMaster(zk::Coordinator &zk, zk::Transaction transaction);

} // namespace drover::workers
