#pragma once

#include "jobs/model/cluster.h"

namespace drover::jobs {

// The data of dedupe/<queue>/<hash of the key>: which job was submitted under that key (JobSpec::dedupe). One
// transaction creates the mark and the job, so the job of a mark has always existed.
struct DedupeMark {
    // JobSpec::key of the job, because its number is not known before the transaction.
    QString key;
    std::optional<JobId> id; // set afterwards, unless the submitter was lost first

    QByteArray encode() const;
    static DedupeMark decode(const QByteArray &bytes); // throws Malformed
    template <class Fields, class Record>
    static void fields(Fields &each, Record &mark);
};

// The job to which a key of a queue belongs now.
struct Deduped {
    bool marked = false;
    qint32 version = 0; // of the mark's node
    std::optional<JobId> job{}; // the existing job; not set: the mark is stale
};

// Whether the job that a mark names is unfinished or has its record in done/. Another job under the same id, made by
// hand, does not count. Throws SessionLost.
async::Task<bool> isThere(Cluster cluster, JobId id, QString key);

} // namespace drover::jobs
