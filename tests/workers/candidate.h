#pragma once

#include "workers/master/master.h"
#include "workers/worker_cluster.h"

namespace drover::test {

// A worker's master part at work, for as long as its session.
class Candidate
{
public:
    Candidate(JobCluster &fake, int who, history::History *history = nullptr)
        : m_master(jobs::Cluster(fake[who], fake.layout), WorkerCluster::nameOf(who), history)
    {
        m_running.spawn(stand(m_master));
    }

    bool leads() const { return m_master.leads(); }

    static async::Task<void> stand(workers::Master &master)
    {
        try {
            co_await master.run();
        } catch (const zk::SessionLost &) {
        }
    }

private:
    workers::Master m_master;
    async::TaskGroup m_running;
};

// One that has been elected.
class Leading : public Candidate
{
public:
    Leading(WorkerCluster &fake, int who, history::History *history = nullptr) : Candidate(fake, who, history)
    {
        fake.settle(std::chrono::seconds(2));
    }
};

// A job that waits for another.
inline jobs::JobId submitAfter(JobCluster &fake, jobs::Dependency::Kind kind, const jobs::JobId &on)
{
    jobs::JobSpec spec = JobCluster::spec();
    spec.after = {{kind, on}};
    return fake.submit(spec);
}

} // namespace drover::test
