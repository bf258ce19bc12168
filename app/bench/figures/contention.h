#pragma once

#include "recipes/locks/lock.h"

#include <QStringList>

namespace drover::app {

// The lock for which one participant contends in every round.
class Contention
{
public:
    virtual ~Contention() = default;

    virtual recipes::Lockable &of(int round) = 0; // `round` counts from 0
    virtual bool isExclusive(int /*round*/) const { return true; } // a writer's
};

// `participant` counts from 0; the directory must exist. `zk` outlives the result.
using MakeContention =
    std::function<std::unique_ptr<Contention>(zk::Client &zk, const zk::Path &directory, int participant)>;

std::unique_ptr<Contention> contendForMutex(zk::Client &zk, const zk::Path &directory, int participant);
// Uses ZooKeeper's own layout, through WriteLock.
std::unique_ptr<Contention> contendForWriteLock(zk::Client &zk, const zk::Path &directory, int participant);
std::unique_ptr<Contention> contendForSimpleLock(zk::Client &zk, const zk::Path &directory, int participant);
// Each participant reads nine times for each write.
std::unique_ptr<Contention> contendForReadWriteLock(zk::Client &zk, const zk::Path &directory, int participant);

} // namespace drover::app
