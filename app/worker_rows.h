#pragma once

#include "app/arguments.h"
#include "jobs/cluster.h"

#include <QJsonArray>
#include <QJsonObject>

namespace drover::app {

// The workers as JSON, by name: what they say of themselves, which jobs they have, their cordons.
async::Task<QList<QJsonObject>> workerRows(zk::Coordinator &zk, jobs::Layout layout);

// The ids of the jobs that one of them has claimed.
async::Task<QJsonArray> jobsOf(zk::Coordinator &zk, jobs::Layout layout, QString worker);

// The ID of a command that is about one worker. Throws UsageError if it is none.
QString workerArgument(const Arguments &arguments);

jobs::NotFound noSuchWorker(const QString &id);

} // namespace drover::app
