#pragma once

#include "jobs/array_progress.h"
#include "jobs/cluster.h"

namespace drover::jobs {

// A job as the cluster's znodes show it at one moment. What is there depends on its state; what could not be read is in
// `malformed`.
struct JobView {
    JobId id;
    JobState state = JobState::Ready; // running: it, or the first task of the array, has begun
    bool claimed = false; // by a worker: it runs there, or waits for what it needs
    std::optional<QueueEntry> entry; // while unfinished
    std::optional<JobSpec> spec; // while unfinished
    std::optional<ArrayProgress> progress; // of an unfinished array; once it has begun it is running
    std::optional<Claim> claim; // while claimed
    std::optional<FinalRecord> record; // once ended
    std::chrono::milliseconds since{}; // Unix epoch, server's clock: submitted, claimed or ended
    qint32 attempts = 0; // begun so far
    qint32 version = 0; // of the job's node, while unfinished
    qint32 claimVersion = 0; // of the claim's node, while claimed
    QByteArray stored; // the spec as it is in that node; by lookUp() alone
    QString malformed; // one line, if something could not be read
};

// One job, however long its queue: a round trip with a read each for the names that its node is likely to have, or for
// the one that it was `seen` at; if it is neither there nor ended, another for every name that it can have. Throws
// NotFound, SessionLost, AccessDenied.
async::Task<JobView> lookUp(zk::Coordinator &zk, Layout layout, JobId id, std::optional<QueueEntry> seen = {});

// Whether it is there, and has not ended. Throws SessionLost, AccessDenied.
async::Task<bool> isUnfinished(zk::Coordinator &zk, Layout layout, JobId id);

// Those of these jobs that are still there, with their claims: two reads each, many in a flight. Waits out lost
// connections; throws SessionLost.
async::Task<std::vector<JobView>> readEntries(zk::Coordinator &zk, Layout layout,
                                              std::vector<std::pair<JobId, QueueEntry>> entries);

struct JobFilter {
    bool unfinished = true;
    bool finished = false;
    bool tasks = false; // of arrays, too
    QByteArray queue; // empty: all
    std::optional<JobId> array{}; // this one and its tasks alone
    qsizetype limit = 200; // jobs returned, unfinished first; the rest is only counted
};

struct JobList {
    std::vector<JobView> jobs; // claimed, then ready and waiting in order of dispatch, then ended, newest first
    qsizetype total = 0; // that match
};

// Lists jobs: one listing for each directory, then the data of at most `limit` nodes, pipelined.
async::Task<JobList> listJobs(zk::Coordinator &zk, Layout layout, JobFilter filter);

} // namespace drover::jobs
