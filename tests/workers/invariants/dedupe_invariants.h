#pragma once

#include "jobs/model/job_spec.h"
#include "jobs/model/layout.h"
#include "support/fake/fake_zookeeper.h"

#include <QSet>

#include <map>

namespace drover::test {

// What must never happen to jobs that are submitted under a key (JobSpec::dedupe); each call returns what has, or
// nothing:
//
//     -  a second job is made under a key of a queue, unless the first was deleted by hand
//     -  a submitter gets the id of another job than the one that was made under its key
//
// No records are removed here. What is moved to another queue has no key there.
class DedupeInvariants
{
public:
    explicit DedupeInvariants(jobs::Layout layout) : m_layout(std::move(layout)) { }

    // Of a transaction.
    QString onCommit(const FakeZooKeeper::Commit &commit);
    QString onAcknowledged(const jobs::JobId &id, const jobs::JobSpec &submitted) const;
    void onDeletedByHand(const jobs::JobId &id) { m_deleted.insert(id); }

private:
    jobs::Layout m_layout;
    std::map<zk::Path, jobs::JobId> m_jobs; // the last of each mark
    QSet<jobs::JobId> m_deleted;
};

} // namespace drover::test
