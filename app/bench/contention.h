#pragma once

#include "recipes/lock.h"

#include <QStringList>

namespace drover::app {

// What one participant contends for, round after round.
class Contention
{
public:
    virtual ~Contention() = default;

    virtual recipes::Lockable &of(int round) = 0;
    virtual bool isExclusive(int) const { return true; }
};

// `participant` counts from 0; the directory exists.
using MakeContention =
    std::function<std::unique_ptr<Contention>(zk::Coordinator &zk, const zk::Path &directory, int participant)>;

std::unique_ptr<Contention> contendForMutex(zk::Coordinator &zk, const zk::Path &directory, int participant);
// ZooKeeper's own layout, WriteLock's.
std::unique_ptr<Contention> contendForWriteLock(zk::Coordinator &zk, const zk::Path &directory, int participant);
std::unique_ptr<Contention> contendForSimpleLock(zk::Coordinator &zk, const zk::Path &directory, int participant);
// Reads nine times for each time it writes.
std::unique_ptr<Contention> contendForReadWriteLock(zk::Coordinator &zk, const zk::Path &directory, int participant);

} // namespace drover::app
