#pragma once

#include "workers/master.h"
#include "workers/worker_party.h"

namespace drover::test {

// A worker's master part at work, for as long as its session.
class Candidate
{
public:
    Candidate(JobParty &party, int who, history::History *history = nullptr)
        : m_master(party[who], party.layout, WorkerParty::nameOf(who), history)
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
    Leading(WorkerParty &party, int who, history::History *history = nullptr) : Candidate(party, who, history)
    {
        party.settle(std::chrono::seconds(2));
    }
};

// A job that waits for another.
inline jobs::JobId submitAfter(JobParty &party, jobs::Dependency::Kind kind, const jobs::JobId &on)
{
    jobs::JobSpec spec = JobParty::spec();
    spec.after = {{kind, on}};
    return party.submit(spec);
}

} // namespace drover::test
