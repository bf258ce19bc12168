#pragma once

#include "app/environment/context.h"
#include "jobs/client/sign_waiting.h"

namespace drover::app {

// What waits in an open cluster that is being closed: asks whether to sign it, and signs it while nothing runs.
class WaitingWork
{
public:
    // Lists the work, and asks the person at the terminal. --leave-unsigned is a no, --yes a yes. Throws UsageError
    // without an answer, where there is no terminal to ask at.
    static async::Task<WaitingWork> agreedOn(Context &context, jobs::Cluster cluster);

    // Pauses the queues, so that no job begins, waits until nothing runs, and signs. The cluster's credentials are
    // the signer's. Nothing without agreement.
    async::Task<void> sign(jobs::Cluster cluster);
    // After the cluster is closed: lets the queues go on that sign() has paused.
    async::Task<void> resume(jobs::Cluster cluster) const;

    void tell(const Context &context) const;

private:
    explicit WaitingWork(jobs::UnsignedWork found) : m_found(std::move(found)) { }

    async::Task<void> pauseQueues(jobs::Cluster cluster);

    jobs::UnsignedWork m_found;
    bool m_isAgreed = false;
    qint64 m_signedSchedules = 0;
    jobs::SigningResult m_signed;
};

QList<QCommandLineOption> waitingWorkOptions(); // --yes, --leave-unsigned

} // namespace drover::app
