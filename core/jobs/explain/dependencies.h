#pragma once

#include "jobs/client/job_lookup.h"

#include <map>

namespace drover::jobs {

// Whether a job in that state is all that a dependency of this kind asks for.
bool isFulfilled(Dependency::Kind kind, JobState state);

// As lookUp(). A job that was moved is looked up in its new queue, as the master does.
async::Task<JobView> lookUpWhereItIs(Cluster cluster, JobId id);

// The jobs that others wait for, each looked up at most once.
class Dependencies
{
public:
    // Looks up `most` jobs at most, one round trip each or two. It takes the dependencies on more jobs for open.
    Dependencies(Cluster cluster, std::size_t most) : m_cluster(std::move(cluster)), m_most(most) { }

    // Whether it is known to be fulfilled: not if the job is neither there nor has a record in ZooKeeper. Throws
    // SessionLost and AccessDenied.
    async::Task<bool> isFulfilled(Dependency dependency);

private:
    Cluster m_cluster;
    std::size_t m_most;
    std::map<JobId, std::optional<JobState>> m_states; // nothing: it was not found
};

} // namespace drover::jobs
