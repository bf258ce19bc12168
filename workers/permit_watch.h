#pragma once

#include "async/task_group.h"
#include "jobs/gang_limits.h"

#include <functional>
#include <map>

namespace drover::workers {

// How many permits the limits have that gangs are subject to, and what their queues allow: one watch for each that was
// ever asked about, as long as this lives. In the hands of the master.
//
// What it says may be old by a moment. A limit that is lowered while a gang assembles is seen at the end of its time.
class PermitWatch
{
public:
    // `onChange`: it may be worth asking again; called from the loop.
    PermitWatch(zk::Coordinator &zk, jobs::Layout layout, std::function<void()> onChange);

    // Whether all members of this gang could have their permits at once, if nobody else had any: none while its queue is
    // paused. False as long as that is not known: until the first answer, and while the limit's node cannot be read.
    bool sufficeFor(const jobs::JobSpec &gang);

private:
    async::Task<void> follow(jobs::GangLimit limit);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    std::function<void()> m_onChange;
    std::map<zk::Path, int> m_permits; // by the node that says so
    async::TaskGroup m_following; // last: destroyed first
};

} // namespace drover::workers
