#pragma once

#include "jobs/client/job_lookup.h"

namespace drover::jobs {

// What the changes of job_control.h require of a job as it was read. Each function throws WrongState with the text that
// the change would throw, so that --dry-run can tell what would be done. A job may change after it was read.
void requireHoldable(const JobView &job);
void requireReleasable(const JobView &job);
void requireUnclaimedOrArray(const JobView &job); // setPriority(): an array's tasks may run, and stay as they are
void requireMovable(const JobView &job, const QByteArray &queue);
void requireClaimed(const JobView &job); // requeue() and sendSignal()

// A job that can be neither deleted nor moved now: another program has made a znode below its own.
class HasChildren : public WrongState
{
public:
    // `change`: what was not done, such as "cancelled".
    HasChildren(const Layout &layout, const JobView &job, const char *change);
};

// Whether a claimed job has not begun: its worker's next step is refused once its claim is gone.
bool isPending(const JobView &job);
// Whether tasks of it may be there. It then stays where it is in its queue.
bool isBegunArray(const JobView &array);

} // namespace drover::jobs
