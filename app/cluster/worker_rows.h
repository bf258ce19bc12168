#pragma once

#include "app/cli/arguments.h"
#include "jobs/cluster/cluster_config.h"

#include <QJsonArray>
#include <QJsonObject>

namespace drover::app {

// The workers as JSON, by name: their member nodes, their jobs, their cordons.
async::Task<QList<QJsonObject>> workerRows(jobs::Cluster cluster);

// The ids of the jobs that this worker has claimed.
async::Task<QJsonArray> jobsOf(jobs::Cluster cluster, QString worker);

// The argument ID of a command about one worker. Throws UsageError if it is not valid.
QString workerArgument(const Arguments &arguments);

jobs::NotFound noSuchWorker(const QString &id);

// The error for a cluster without a master, which means that it has no worker.
jobs::NotFound noMaster(const QByteArray &cluster);

} // namespace drover::app
