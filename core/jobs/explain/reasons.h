#pragma once

#include "jobs/client/job_lookup.h"
#include "jobs/cluster/free_room.h"
#include "jobs/cluster/queue_settings.h"
#include "jobs/cluster/worker_pool.h"
#include "jobs/explain/explanation.h"
#include "jobs/model/cluster.h"
#include "jobs/model/queue_entry.h"

#include <optional>
#include <vector>

namespace drover::jobs {

// The parts of explain(), which lists their exceptions.

// Why no worker begins each of these jobs of a queue, as its ACL has it. Workers may not read the job's znode, or not
// write it. Who creates a znode chooses its ACL. The reasons are in the order of `entries`. There is none for a job
// that waits or is held, because it gets another znode before it begins. In an open cluster each client may be a
// worker, so there is one only for a znode that none may both read and write. It asks for one ACL a job, all at once.
// Throws SessionLost and ConnectionLoss.
async::Task<std::vector<std::optional<Reason>>> whyForbidden(Cluster cluster, QByteArray queue,
                                                             std::vector<QueueEntry> entries);

// Why no worker of the pool can ever run such a job: its queue, its labels, its slots, its memory.
std::optional<Reason> whyUnfit(const WorkerPool &pool, const JobSpec &spec);
// Why no worker can run such a job now: the reasons of whyUnfit(), or all fit workers are cordoned or on failing
// machines.
std::optional<Reason> whyNoWorker(const WorkerPool &pool, const JobSpec &spec);

Reason whyPaused(const QByteArray &queue, const QueueSettings &settings);

// Of a job whose worker was lost before it had carried out a cancellation.
Reason whyNotCancelledYet();

// For a job without a claim: says that only a newer drover can read it.
std::optional<Reason> whyTooNew(const JobView &job);

// Why a job without a claim has not started: its queue, the workers, their free room, the jobs ahead of it. The first
// reason is the decisive one now. Never empty.
async::Task<std::vector<Reason>> whyReady(Cluster cluster, JobView job);

// Why none of these workers, which could run the job, has room now (FreeRoom). Empty if one has.
// `claims` are all claims of the cluster. For a job that needs no memory `taken` may be empty.
std::vector<Reason> whyNoRoom(const JobId &job, const Needs &needs, const WorkerPool::Chosen &workers,
                              const std::vector<StoredClaim> &claims, const TakenMemory &taken);

// Why a claimed job waits at its worker: for a lock or a limit, and which job holds it; or for room.
async::Task<Reason> whyWaitsAtWorker(Cluster cluster, JobView job);

// Names the jobs that use up the queue's limit of running jobs; nothing if there is room.
async::Task<std::optional<Reason>> whyQueueIsFull(Cluster cluster, QByteArray queue);

} // namespace drover::jobs
