#pragma once

#include "jobs/model/job_notes.h"
#include "jobs/model/job_spec.h"
#include "jobs/model/layout.h"
#include "workers/claims/replay_journal.h"
#include "zk/types.h"

#include <memory>

namespace drover::workers {

struct JobLocks;

// A job that this worker has claimed: one attempt at it.
struct ClaimedJob {
    jobs::JobId id;
    jobs::QueueEntry entry;
    jobs::JobSpec spec;
    QByteArray stored; // the spec as it is in the job's node
    jobs::AttemptCount attempts; // this claim's
    // The claim's transaction; greater for a later attempt. Before the claim, the last one that changed the job's node.
    zk::Zxid claimZxid = 0;
    // Claimed before a slot was free. The claim has a mark until the job runs (clearPrefetchMark).
    bool prefetched = false;
    // Claimed to wait for locks or room; startAttempt() makes it an attempt.
    bool pending = false;
    zk::Zxid startZxid = 0; // of startAttempt(); 0: the claim was the start
    bool claimHasGone = false; // with the session that made it: the report has no claim to delete
    bool kept = false; // its end was kept, and this is a later life of its worker
    zk::Zxid returnZxid = 0; // of a kept one's give-back at a planned stop; 0: none
    std::shared_ptr<const JobLocks> held = nullptr; // its locks and permits
    std::shared_ptr<const void> load = nullptr; // its share of SessionLoad, until it is reported
    ReplayJournal::Start start{}; // what its signature allows; in a closed cluster
    std::shared_ptr<NotedStart> noted = nullptr; // there, once its start is in the journal

    void setMayHaveBegun(bool may) const
    {
        if (noted)
            noted->setMayHaveBegun(may);
    }

    // The version that the job's node has while this attempt is the current one, and the transaction that made that
    // version. Reports name the version, so that ZooKeeper refuses those of a stale attempt. The cancel of a running
    // job adds 1. An attempt that was given back is the current one until a worker claims the job.
    qint32 fenceVersion() const { return attempts.claimVersion + (startZxid ? 1 : 0) + (returnZxid ? 1 : 0); }
    zk::Zxid fenceZxid() const { return returnZxid ? returnZxid : startZxid ? startZxid : claimZxid; }
};

} // namespace drover::workers
