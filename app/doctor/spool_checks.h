#pragma once

#include "app/doctor/finding.h"
#include "async/loop.h"
#include "async/task.h"
#include "jobs/model/worker_info.h"

#include <optional>
#include <vector>

namespace drover::app {

// Looks at the spools of the workers on this machine: the output of jobs is lost once one is full.
async::Task<Findings> checkSpools(async::Loop &loop, std::vector<jobs::WorkerInfo> workers);

// What to say of a spool with so many bytes left. Nothing: there is room.
std::optional<Finding> aboutSpool(const QString &spool, qint64 bytesLeft);

} // namespace drover::app
