#pragma once

#include "jobs/job_lookup.h"
#include "workers/master.h"
#include "workers/worker_party.h"

namespace drover::test {

// What the tests of jobs that wait have in common: session 0 submits and ends jobs, another leads.
class Leading
{
public:
    // `history` outlives it; null: none.
    Leading(WorkerParty &party, int who, history::History *history = nullptr)
        : m_master(party[who], party.layout, WorkerParty::nameOf(who), history)
    {
        m_running.spawn(m_master.run());
        party.settle(std::chrono::seconds(2));
    }

    bool leads() const { return m_master.leads(); }

private:
    workers::Master m_master;
    async::TaskGroup m_running{[](const std::exception_ptr &) {}};
};

inline jobs::JobId submit(WorkerParty &party, const jobs::JobSpec &spec)
{
    jobs::Submitter submitter(party[0], party.layout, {});
    return party.run(submitter.submit(spec));
}

inline jobs::JobState stateOf(WorkerParty &party, const jobs::JobId &id)
{
    return party.run(jobs::lookUp(party[0], party.layout, id)).state;
}

inline void end(WorkerParty &party, const jobs::JobId &id, int code)
{
    jobs::FinalRecord record = jobs::FinalRecord::of(id, JobParty::spec());
    record.code = code;
    party.end(id, record);
    party.settle();
}

} // namespace drover::test
