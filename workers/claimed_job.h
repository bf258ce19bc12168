#pragma once

#include "jobs/layout.h"
#include "jobs/records.h"
#include "zk/types.h"

#include <memory>

namespace drover::workers {

struct Holding;

// A job whose claim this worker holds: one attempt at it.
struct ClaimedJob {
    jobs::JobId id;
    jobs::QueueEntry entry;
    jobs::JobSpec spec;
    QByteArray stored; // the spec as it is in the job's node
    qint32 attempt = 1; // also the version of the job's node while this attempt is the current one: the fence. A cancel
                        // of the running job makes it one more
    zk::Zxid token = 0; // the transaction of the claim; greater for a later attempt
    std::shared_ptr<const Holding> held = nullptr; // its locks and permits, if it asks for any
};

} // namespace drover::workers
