#pragma once

#include "app/doctor/finding.h"
#include "async/loop.h"
#include "async/task.h"
#include "jobs/model/cluster.h"
#include "jobs/model/cluster_stats.h"
#include "jobs/model/worker_info.h"
#include "trust/credentials.h"

#include <QSet>

#include <memory>
#include <optional>
#include <vector>

namespace drover::app {

// Whether the nodes of a closed cluster have the access rights of this version's table (jobs/cluster/acl_table.h). An
// older version, or a person, may have given them others. It looks at the cluster's root and two levels below it, at
// most MostNodes nodes, and leaves the single locks and limits to checkSharedNodes(). What it may not read is passed
// over. Nothing without credentials (null). Throws SessionLost and ConnectionLoss.
inline constexpr std::size_t MostNodes = 1000;
async::Task<void> checkAcls(jobs::Cluster cluster, std::shared_ptr<const trust::Credentials> credentials,
                            Findings &findings);

// Compares this machine's clock with that of the servers, which stamp a node that lives for a moment. Who may not make
// it hears nothing. Throws SessionLost and ConnectionLoss.
async::Task<void> checkOwnClock(jobs::Cluster cluster, Findings &findings);

// Compares at most a hundred shared files with their ledgers, with the checks that each append makes before it writes.
// Files that this machine does not have are left out. Throws SessionLost.
async::Task<void> checkFiles(jobs::Cluster cluster, Findings &findings);

// Warns of queues, limits and locks that have given out nine tenths of their sequence numbers (jobs/cluster/numbers.h).
// One without numbers is a problem: its submits are refused, or its jobs wait. It reads the counters of each. Throws
// SessionLost and ConnectionLoss.
async::Task<void> findUsedUpNumbers(jobs::Cluster cluster, QByteArrayList queues, Findings &findings);

// Finds queues that this session may not read, and queues whose ACL keeps workers from them. Names those that are
// `missing` although workers serve them. Returns the queues that it may read. Throws SessionLost and ConnectionLoss.
async::Task<QByteArrayList> findShutQueues(jobs::Cluster cluster, QByteArrayList queues, QSet<QString> missing,
                                           Findings &findings);

// Finds jobs that no present worker can ever run. Also finds gangs that can never start: they have more members than
// all workers have slots, or than a limit has permits. Lists each queue and reads its first 64 ready jobs and 64
// arrays. Leaves out queues that no worker serves. Throws SessionLost and ConnectionLoss.
async::Task<void> findStuckJobs(jobs::Cluster cluster, QByteArrayList queues, Findings &findings);

// Finds jobs that can be neither moved nor ended, because another program has made znodes below theirs. Finds also jobs
// that workers may not claim by the ACLs of their znodes. Lists each queue and looks at its 256 oldest unfinished jobs:
// what workers leave alone becomes the oldest. Throws SessionLost and ConnectionLoss.
async::Task<void> findBlockedJobs(jobs::Cluster cluster, QByteArrayList queues, Findings &findings);

// Finds locks and limits whose node has an ACL that keeps a role from it, because another program has made it. Jobs
// that need one wait for it in vain. It reads the ACLs of at most a thousand of each. Throws SessionLost,
// ConnectionLoss, and AccessDenied if it may not list them.
async::Task<void> checkSharedNodes(jobs::Cluster cluster, Findings &findings);

// Looks at the spools of the workers on this machine: the output of jobs is lost once one is full.
async::Task<Findings> checkSpools(async::Loop &loop, std::vector<jobs::WorkerInfo> workers);

// What to say of a spool with so many bytes left. Nothing: there is room.
std::optional<Finding> aboutSpool(const QString &spool, qint64 bytesLeft);

// Carries out one check, which adds to `findings`. If it meets a node that may not be read, a finding says so.
async::Task<void> unlessRefused(const char *subject, async::Task<void> check, Findings &findings);

// The workers of a cluster, as their nodes describe them.
struct DescribedWorkers {
    std::vector<jobs::WorkerInfo> workers{};
    QSet<QString> queues{}; // that one of them serves
    QSet<QString> hosts{};
};

// Reads the workers, and adds what is wrong with single ones. `isForRootAlone`: they do not harm others if they run
// jobs as root. Throws SessionLost, ConnectionLoss and AccessDenied.
async::Task<DescribedWorkers> checkWorkers(jobs::Cluster cluster, bool isForRootAlone, Findings &findings);

// All of them together: how many there are, and of which versions.
Finding aboutWorkers(const DescribedWorkers &pool);

// Other machines read output from the worker's own address.
void checkEndpoints(const DescribedWorkers &pool, Findings &findings);

// Warns if no worker keeps a history, if only some do, and if their histories are in different places.
void checkHistoryPlaces(const DescribedWorkers &pool, Findings &findings);

// Finds trouble of the master with archiving: errors of the history, and records that wait to be archived.
void checkArchive(const jobs::ClusterStats::Archive &archive, Findings &findings);

} // namespace drover::app
