#pragma once

#include "app/cli/failure.h"
#include "app/environment/context.h"
#include "jobs/client/resubmit.h"

#include <vector>

namespace drover::app {

// The arguments of `drover resubmit`: ids, and ranges, which choose the ended jobs in them.
struct ResubmitNames {
    std::vector<jobs::JobId> ids;
    std::vector<jobs::JobRange> ranges;
    bool failedAlone = false; // --failed: only failed jobs and tasks
    bool mayRun = false; // a named job need not have ended

    // Throws UsageError.
    static ResubmitNames parse(const QStringList &names);
};

struct Resubmissions {
    std::vector<jobs::Resubmission> all; // each job once: the named ones, then by queue and number
    std::vector<Failure> refused; // why some ids or arrays are missing
};

// Throws SessionLost and ConnectionLoss; HistoryError if the ended jobs cannot be determined.
async::Task<Resubmissions> findResubmissions(Context &context, jobs::Cluster cluster, ResubmitNames names);

} // namespace drover::app
