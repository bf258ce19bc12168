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
    qint32 attempt = 1; // the version that the claim gave the job's node
    zk::Zxid token = 0; // the transaction of the claim; greater for a later attempt
    qint32 unbegun = 0; // of the claims up to this one, those that were no attempts
    bool ahead = false; // claimed for a slot that was not free: the claim says so until it runs (sayThatItRuns)
    bool pending = false; // claimed to wait: it becomes an attempt when it begins (beginClaimed)
    zk::Zxid begun = 0; // the transaction in which it began, if that was not the claim's
    std::shared_ptr<const Holding> held = nullptr; // its locks and permits, if it asks for any

    // The attempt's, as people count them.
    qint32 number() const { return attempt - unbegun; }
    // Of the job's node while this attempt is the current one: the fence, and the transaction that made it. A cancel of
    // the running job makes it one more.
    qint32 version() const { return begun ? attempt + 1 : attempt; }
    zk::Zxid changed() const { return begun ? begun : token; }
};

} // namespace drover::workers
