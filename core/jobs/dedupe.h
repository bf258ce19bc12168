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
    QString key; // the mark's
    std::optional<JobId> job; // unfinished, or with its record in done/; none: the mark is stale
};

// Two round trips if the mark knows the job's id; a search of the queue if not. Waits out lost connections; throws
// SessionLost.
async::Task<Deduped> findDeduped(zk::Coordinator &zk, Layout layout, QByteArray queue, QString dedupe);

} // namespace drover::jobs
