#pragma once

#include "app/context.h"
#include "app/failure.h"
#include "jobs/repeat.h"

#include <vector>

namespace drover::app {

// What `drover resubmit` is told: ids, and ranges, which mean what of them has ended.
struct RepeatedNames {
    std::vector<jobs::JobId> ids;
    std::vector<jobs::JobRange> ranges;
    bool failedAlone = false; // --failed: of it what has failed, and of arrays their tasks that have
    bool mayRun = false; // it need not have ended, if an id names it

    // Throws UsageError.
    static RepeatedNames parse(const QStringList &names);
};

struct Repeats {
    std::vector<jobs::Repeat> all; // each job once, in the order of the ids that name them, then by queue and number
    std::vector<Failure> refused; // why ids, or arrays, are not among them
};

// Throws SessionLost, ConnectionLoss; HistoryError when nobody can tell what has ended.
async::Task<Repeats> findRepeats(Context &context, zk::Coordinator &zk, RepeatedNames names);

} // namespace drover::app
