#pragma once

#include "jobs/cluster/worker_pool.h"

#include <map>

namespace drover::jobs {

// The free room of one worker, and who gets it, as one job sees it.
struct FreeRoom {
    QString worker;
    int slotCount = 0;
    qint64 memory = 0;
    std::optional<StoredClaim> first{}; // waits there for room: it gets what becomes free
    std::map<JobId, int> gangs{}; // slots that are kept for members of gangs which assemble

    bool fits(const Needs &needs) const { return slotCount >= needs.slots && memory >= needs.memory; }
};

using TakenMemory = std::map<QString, qint64>; // bytes, by the worker's id

// The memory that the jobs of these claims have asked for. It is in their nodes alone, which are all read: one flight
// for every 64. Waits out lost connections; throws SessionLost.
async::Task<TakenMemory> readTakenMemory(Cluster cluster, std::vector<StoredClaim> claims);

// The room that these workers have for this job. `claims` are all claims of the cluster. Prefetched jobs count as
// running. For a job that needs no memory `taken` may be empty.
std::vector<FreeRoom> freeRoom(const JobId &job, const WorkerPool::Chosen &workers,
                               const std::vector<StoredClaim> &claims, const TakenMemory &taken);

// Whether a worker other than `worker` has room for this job now that is not reserved for another. Throws SessionLost.
async::Task<bool> hasRoomElsewhere(Cluster cluster, JobId job, JobSpec spec, QString worker);

} // namespace drover::jobs
