#pragma once

#include "app/bench/contention.h"
#include "app/lab/lease_lock.h"
#include "async/qt_loop.h"
#include "zk/session.h"

namespace drover::app {

// A lock of ours in the place of a blocking one: a session on the client's own thread, which must be a QThread. While
// the client computes or sleeps, nothing keeps the session alive: its time-out is the lease. That is what a process
// that was stopped looks like.
class ZooKeeperLeaseLock final : public LeaseLock
{
public:
    ZooKeeperLeaseLock(const QString &servers, const zk::Path &directory, std::chrono::milliseconds lease,
                       const MakeContention &contention);
    ~ZooKeeperLeaseLock() override;

    qint64 acquire() override;
    void release() override { m_lock.reset(); }

private:
    // Runs the thread's loop until the task has ended; throws what it threw.
    static void wait(async::Task<void> task);
    async::Task<void> open(zk::Path directory, MakeContention contention);
    async::Task<void> acquireLock();

    async::QtLoop m_loop;
    zk::Session m_session;
    std::unique_ptr<Contention> m_contention;
    std::optional<recipes::Lock> m_lock;
};

} // namespace drover::app
