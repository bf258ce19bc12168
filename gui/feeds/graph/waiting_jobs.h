#pragma once

#include "jobs/client/list_unfinished.h"
#include "jobs/model/dependency.h"
#include "zk/types.h"

#include <map>
#include <memory>

namespace drover::gui {

// What the waiting and the held jobs of a cluster depend on, at one moment. It never changes, so several walks may read
// it while a later one is being made.
struct WaitingJobs {
    static constexpr qsizetype MostKept = 20'000; // the first by queue and number

    struct Waiting {
        jobs::QueueEntry entry;
        QString name;
        std::vector<jobs::Dependency> after;
    };

    std::map<jobs::JobId, Waiting> jobs;
    std::map<jobs::JobId, std::vector<jobs::JobId>> waiters; // by the job that they wait for
    qsizetype unread = 0; // waiting jobs beyond MostKept
    zk::Zxid cluster{}; // when the cluster was made: another one gives the same ids to other jobs

    const Waiting *find(const jobs::JobId &id) const; // null: it does not wait
};

// Lists the queues, and reads the waiting jobs that `before` does not have: what a job depends on never changes. It
// reads no job that is ready, because that waits for no other job any more. `before` may be null. It waits out lost
// connections. Throws SessionLost, and AccessDenied if it may not list the queues.
async::Task<std::shared_ptr<const WaitingJobs>> readWaitingJobs(jobs::Cluster cluster,
                                                                std::shared_ptr<const WaitingJobs> before);

} // namespace drover::gui
