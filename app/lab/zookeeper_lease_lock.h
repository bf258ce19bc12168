#pragma once

#include "app/bench/figures/contention.h"
#include "app/lab/lease_lock.h"
#include "async/qt_loop.h"
#include "zk/client/session.h"

namespace drover::app {

// A lock of Drover as a blocking LeaseLock. Its session lives on the client's own thread, which must be a QThread.
// While the client computes or sleeps, the session sends no keep-alives, as in a stopped process: so the session
// time-out is the lease.
class ZooKeeperLeaseLock final : public LeaseLock
{
public:
    ZooKeeperLeaseLock(const QString &servers, const zk::Path &directory, std::chrono::milliseconds lease,
                       const MakeContention &contention);
    ~ZooKeeperLeaseLock() override;

    qint64 acquire() override;
    void release() override { m_lock.reset(); }

private:
    // Runs the thread's loop until the task has ended. Rethrows the task's error.
    static void wait(async::Task<void> task);
    async::Task<void> open(zk::Path directory, MakeContention contention);
    async::Task<void> acquireLock();

    async::QtLoop m_loop;
    zk::Session m_session;
    std::unique_ptr<Contention> m_contention;
    std::optional<recipes::Lock> m_lock;
};

} // namespace drover::app
