#pragma once

#include "jobs/model/cluster.h"
#include "net/request_client.h"
#include "output/output_source.h"

#include <memory>

namespace drover::output {

// The worker is no longer a member, or serves no output. A retry is useless.
class WorkerGone : public OutputLost
{
public:
    using OutputLost::OutputLost;
};

// The output in the spool of a worker, read through that worker. The worker's node below
// Layout::outputs() has the address and the shared key. Lives on the thread of the session, whose loop is Qt's.
//
// A broken connection throws OutputLost; the next read looks up the worker again and continues at its offsets. A worker
// that restarts under its id is another process, usually with the same spool. An expired session throws SessionLost.
class RemoteOutput final : public OutputSource
{
public:
    RemoteOutput(jobs::Cluster cluster, QByteArray worker);
    ~RemoteOutput() override;

    // Throws OutputLost, WorkerGone, SessionLost.
    async::Task<OutputReply> read(OutputRequest request) override;

private:
    async::Task<void> find();

    jobs::Cluster m_cluster;
    QByteArray m_worker;
    std::unique_ptr<net::RequestClient> m_client; // null: look the worker up first
};

} // namespace drover::output
