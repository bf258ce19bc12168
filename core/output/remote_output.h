#pragma once

#include "jobs/layout.h"
#include "net/request_client.h"
#include "output/output_source.h"
#include "zk/coordinator.h"

#include <memory>

namespace drover::output {

// That worker is no longer a member, or serves nobody: asking again is of no use.
class WorkerGone : public OutputLost
{
public:
    using OutputLost::OutputLost;
};

// The output in the spool of a worker, read through that worker: where it listens is in its member node, and the key by
// which both know each other in the cluster's. On the thread of the session, whose loop is Qt's.
//
// A connection that breaks is OutputLost; the next read looks the worker up again and goes on with its own offsets. A
// worker that has come back under its id is another process with, as a rule, the same spool. Lost sessions are thrown.
class RemoteOutput final : public OutputSource
{
public:
    RemoteOutput(zk::Coordinator &zk, jobs::Layout layout, QByteArray worker);
    ~RemoteOutput() override;

    // Throws OutputLost, WorkerGone, SessionLost.
    async::Task<OutputReply> read(OutputRequest request) override;

private:
    async::Task<void> find();

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    QByteArray m_worker;
    std::unique_ptr<net::RequestClient> m_client; // none: to be found
};

} // namespace drover::output
