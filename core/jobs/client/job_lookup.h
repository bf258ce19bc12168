#pragma once

#include "jobs/model/array_progress.h"
#include "jobs/model/claim.h"
#include "jobs/model/cluster.h"
#include "jobs/model/final_record.h"

namespace drover::jobs {

// A job as the cluster's znodes show it at one moment. Its state decides which members are set. `malformed` says what
// could not be read.
struct JobView {
    JobId id;
    JobState state = JobState::Ready; // running: it, or the first task of the array, has begun
    bool claimed = false; // by a worker: it runs or waits there
    std::optional<QueueEntry> entry; // while unfinished
    std::optional<JobSpec> spec; // while unfinished
    std::optional<ArrayProgress> progress; // of an unfinished array
    std::optional<Claim> claim; // while claimed
    std::optional<FinalRecord> record; // once ended
    std::chrono::milliseconds since{}; // Unix epoch, server's clock: submitted, claimed or ended
    qint32 attempts = 0; // begun so far
    qint32 version = 0; // of the job's node, while unfinished
    qint32 nodesBelow =
        0; // that another program has made below that node: the job is blocked (jobs/explain/why_blocked.h)
    qint32 claimVersion = 0; // of the claim's node, while claimed
    QByteArray stored; // the job's node data; only from lookUp()
    QString malformed; // one line, if something could not be read
    bool newerFormat = false; // only a newer drover can read it: do not change it
};

// The view of a job that has ended, in the cluster or in a history.
JobView viewOfEnded(FinalRecord record, std::chrono::milliseconds endedAt, QString malformed = {});

// Finds one job without listing its queue. One round trip reads the likely names of its node, or the name in `seen`. If
// the job is neither there nor ended, another round trip reads every possible name. Throws NotFound, SessionLost, and
// AccessDenied if it is there and may not be read.
async::Task<JobView> lookUp(Cluster cluster, JobId id, std::optional<QueueEntry> seen = {});

// Whether the job exists and has not ended. Throws SessionLost and AccessDenied.
async::Task<bool> isUnfinished(Cluster cluster, JobId id);

// Reads jobs with their claims, two reads each, many at a time. Jobs that are gone are left out. Waits out lost
// connections; throws SessionLost.
async::Task<std::vector<JobView>> readEntries(Cluster cluster, std::vector<std::pair<JobId, QueueEntry>> entries);

struct ListFilter {
    bool unfinished = true;
    bool finished = false;
    bool tasks = false; // true: lists tasks of arrays, too
    QByteArray queue; // empty: all
    std::optional<JobId> array{}; // set: lists only this array and its tasks
    qsizetype limit = 200; // returned jobs, unfinished first; others are counted
};

struct JobList {
    // First claimed jobs, then ready and waiting ones in the order of dispatch, then ended ones, newest first.
    std::vector<JobView> jobs;
    qsizetype total = 0; // number of matching jobs
};

// Lists jobs: one listing for each directory, then the data of at most `limit` nodes, pipelined.
async::Task<JobList> listJobs(Cluster cluster, ListFilter filter);

// The next two find the jobs of a queue that have one name, as JobSpec::singleton means it.

// The unfinished jobs of a listing with numbers up to `last`. Tasks are left out, because their array exists at least
// as long.
std::vector<QueueEntry> jobsUpTo(const QByteArrayList &names, qint32 last);

} // namespace drover::jobs
