#pragma once

#include "jobs/model/cluster.h"
#include "jobs/model/final_record.h"
#include "jobs/model/queue_entry.h"
#include "workers/claims/claimed_job.h"
#include "zk/client.h"

#include <optional>
#include <vector>

namespace drover::workers {

// A job that ends without a run here, as it was read. No worker may have claimed it.
struct JobEnding {
    jobs::QueueEntry entry;
    qint32 version = 0; // of its node
    jobs::FinalRecord record; // names the job, also if it is not kept
    bool isRecorded = true; // false: the job is only deleted
};

// A job is ended after so many claims that were given back or lost. A move within its queue needs an operation for each
// claim, and all of them must fit into one request: jobs::reposition().
constexpr qint32 MostClaims = 5500;

// The end of a job that may run and must not run again, at this version of its node. Nothing if it may begin.
std::optional<jobs::FinalRecord> endWithoutRun(const ClaimedJob &job, qint32 version, std::chrono::milliseconds now);

enum class Ended {
    Yes,
    Changed, // it is claimed, was changed or has gone: look again
    Blocked, // another program has made znodes below it, or this session may not remove it
};

// Ends the job in one transaction, and never twice. It deletes the job at the version read and creates done/<id>. It
// also creates the claim and deletes it again, so it is refused while another claim stands. A job without a record that
// was never claimed (version 0) needs none. If there is a final record already, the job is only deleted. A reply that
// was lost is repeated; then the answer may be Changed. Throws SessionLost.
async::Task<Ended> endUnclaimed(jobs::Cluster cluster, JobEnding ending);

// As many in one transaction. The most that are sent together: a claim or a report waits for at most one of these.
constexpr std::size_t MostEndedTogether = 64;

struct LeftJob {
    jobs::JobId id;
    jobs::QueueEntry entry;
    Ended why;
};

// Ends many of them, MostEndedTogether in a transaction. If one is in the way, it looks which have changed: another
// worker may be ending the same jobs. Returns those that it could not end. Throws SessionLost.
async::Task<std::vector<LeftJob>> endUnclaimed(jobs::Cluster cluster, std::vector<JobEnding> endings);

} // namespace drover::workers
