#pragma once

#include "async/task_group.h"
#include "jobs/cluster/gang_limits.h"
#include "jobs/model/cluster.h"

#include <functional>
#include <map>

namespace drover::workers {

// Follows the limits that gangs need: the permits of named limits, and the limits and pauses of their queues. It keeps
// one watch for each limit that it was ever asked about. Part of the master.
//
// The answer may be a moment old. If a limit is lowered while a gang assembles, the gang notices at the end of its
// time.
class GangLimitWatch
{
public:
    // `onChange` is called from the loop when an answer may have changed.
    GangLimitWatch(jobs::Cluster cluster, std::function<void()> onChange);

    // Whether all members of this gang could have their permits at once if no other job had any. False while its queue
    // is paused, until a limit is read for the first time, and while its node cannot be read.
    bool allows(const jobs::JobSpec &gang);

private:
    async::Task<void> follow(jobs::GangLimit limit);

    jobs::Cluster m_cluster;
    std::function<void()> m_onChange;
    std::map<zk::Path, int> m_permits; // by the node that stores the limit
    async::TaskGroup m_following; // last: destroyed first
};

} // namespace drover::workers
