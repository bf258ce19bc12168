#pragma once

#include "jobs/layout.h"
#include "zk/coordinator.h"

namespace drover::jobs {

// What stands at dedupe/<queue>/<hash of the key>: the job that was submitted under that key (JobSpec::dedupe). Made in
// the same transaction as the job, so there is never one without the other having been.
struct DedupeMark {
    QString key; // JobSpec::key of the job: its number is not known before the transaction
    std::optional<JobId> id; // noted afterwards; missing if the submitter was lost first

    QByteArray encode() const;
    static DedupeMark decode(const QByteArray &bytes); // throws Malformed
};

// What a key of a queue stands for now.
struct Deduped {
    bool marked = false;
    qint32 version = 0; // of the mark's node
    std::optional<JobId> job{}; // unfinished, or with its record in done/; none: the mark is stale
};

// Whether the job that a mark names is unfinished, or its record in done/: that job, and not another which somebody has
// made under its id. Throws SessionLost.
async::Task<bool> isThere(zk::Coordinator &zk, Layout layout, JobId id, QString key);

} // namespace drover::jobs
