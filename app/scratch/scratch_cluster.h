#pragma once

#include "jobs/cluster/cluster_config.h"
#include "jobs/model/final_record.h"
#include "jobs/model/job_spec.h"

#include <QSet>

namespace drover::app {

// A cluster for one measurement or demonstration: made, watched and read back.

// Makes a cluster that takes `jobs` jobs and keeps all their final records. Throws SessionLost.
async::Task<void> makeScratchCluster(jobs::Cluster cluster, qint64 jobs);

// A job of a benchmark or demo, submitted now, with a PATH and nothing else in its environment.
jobs::JobSpec benchJob(const QStringList &command);

// Returns when `count` jobs have ended. Only the number of final records is read, a hundred times a second, and `check`
// is called as often: it may throw. Throws std::runtime_error when no job has ended for a minute, SessionLost.
async::Task<void> awaitEnded(jobs::Cluster cluster, qint64 count, std::function<void()> check);

// All final records. Throws Malformed, SessionLost.
async::Task<std::vector<jobs::FinalRecord>> readRecords(jobs::Cluster cluster);

// The jobs that a worker has claimed. Throws SessionLost.
async::Task<std::vector<jobs::JobId>> claimsOf(jobs::Cluster cluster, QString worker);

// Throws std::runtime_error unless the records are those of `ids`, one each, with code 0.
void requireOneGoodEnd(const std::vector<jobs::FinalRecord> &records, QSet<jobs::JobId> ids);

} // namespace drover::app
