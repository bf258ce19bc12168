#pragma once

#include "app/bench/figures/contention.h"

#include <QByteArray>
#include <QString>

#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <thread>

namespace drover::app {

// One client's view of a lock with a lease. All calls block, so each client has a thread of its own, on which the
// object is made, used and destroyed. Throws std::runtime_error if the service fails.
class LeaseLock
{
public:
    LeaseLock() = default;
    LeaseLock(const LeaseLock &) = delete;
    LeaseLock &operator=(const LeaseLock &) = delete;
    virtual ~LeaseLock() = default;

    // Waits until this client holds the lock. Returns the fencing token, which is greater than every earlier holder's.
    virtual qint64 acquire() = 0;
    // Releases the lock, if the service still has this client as the holder.
    virtual void release() = 0;
};

// The kinds of locks. Each connects at once. The last two are there if they were built in.
std::unique_ptr<LeaseLock> zooKeeperLeaseLock(const QString &servers, const zk::Path &directory,
                                              std::chrono::milliseconds lease, const MakeContention &contention);
std::unique_ptr<LeaseLock> redisLeaseLock(quint16 port, const QByteArray &name, std::chrono::milliseconds lease);
std::unique_ptr<LeaseLock> memcachedLeaseLock(quint16 port, const QByteArray &name, std::chrono::milliseconds lease);

// Waits a random 1 to 5 ms, so that clients do not retry in step. For services that cannot wake waiters.
inline void pauseBeforeRetry()
{
    thread_local std::minstd_rand random(std::random_device{}());
    std::this_thread::sleep_for(std::chrono::microseconds(std::uniform_int_distribution(1000, 5000)(random)));
}

// Locks of one kind; thread-safe.
struct LockService {
    using Connect = std::function<std::unique_ptr<LeaseLock>(const QByteArray &name, std::chrono::milliseconds lease)>;

    QString name;
    QString missing; // why it is not available here; empty if it is
    Connect connect{};
};

} // namespace drover::app
