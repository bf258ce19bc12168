#pragma once

#include "app/environment/context.h"
#include "async/task_group.h"

#include <optional>

namespace drover::app {

// The workers of a launch, as their cluster knows them. The first call opens the session, for all later ones. Each call
// throws as Context::openCluster() does, SessionLost, and HostFailed. Lives on the loop's thread.
class LaunchedWorkers
{
public:
    explicit LaunchedWorkers(Context &context) : m_context(context) { }

    // Cordons the worker for an upgrade, and returns when it has no job. A cordon that is there already stays as it is.
    // Throws HostFailed if that takes longer than `limit`.
    async::Task<void> drain(QByteArray worker, std::optional<std::chrono::milliseconds> limit);
    // Lifts a cordon of drain(), also that of an upgrade that was interrupted.
    async::Task<void> liftCordon(QByteArray worker);
    // Says how the clock of a worker that has started is wrong; empty: it is right. Throws HostFailed if the worker is
    // not in this cluster.
    async::Task<QString> clockTrouble(QByteArray worker);

private:
    async::Task<jobs::Cluster> openOnce();
    async::Task<void> open();

    Context &m_context;
    bool m_isOpening = false;
    async::Event m_opened;
    async::Timer m_tellTimer; // sets it
    std::optional<jobs::Cluster> m_cluster;
    std::exception_ptr m_openError;
    async::TaskGroup m_opens; // last: destroyed first
};

} // namespace drover::app
