#pragma once

#include "jobs/model/job_spec.h"
#include "jobs/model/layout.h"
#include "support/fake/fake_zookeeper.h"

#include <map>
#include <set>

namespace drover::test {

// What must never happen to the singletons of one name in one queue, in the order of their numbers:
//
//     -  one is claimed while an earlier job of its name has not ended, unless that one waits for it (a moved
//        singleton passes over what waits for it)
//     -  one is claimed while a later singleton of its name runs, unless that has passed over it
//
// Each check says what is wrong, or nothing.
class SingletonInvariants
{
public:
    // Both outlive this. `movedTo` has what the jobs that were moved to another queue have become.
    SingletonInvariants(FakeZooKeeper &server, jobs::Layout layout, const std::map<jobs::JobId, jobs::JobId> &movedTo)
        : m_server(server), m_layout(std::move(layout)), m_movedTo(movedTo)
    {
    }

    // A node in a queue was made. If that makes a singleton ready, it passes now over the jobs that wait for it.
    void onMade(const zk::Path &path);
    // Of a job, or of an array when one of its tasks is claimed.
    QString onClaim(const jobs::JobId &id, const QString &title);
    void onMoved(const jobs::JobSpec &spec) { m_moved += spec.singleton || spec.notes.wasSingleton; }

    qint64 claimed() const { return m_claimed; }
    qint64 moved() const { return m_moved; }

private:
    struct Stored {
        jobs::QueueEntry entry;
        jobs::JobSpec spec;
    };

    std::vector<Stored> jobsOf(const QByteArray &queue) const; // without tasks
    bool isClaimed(const jobs::JobId &id) const { return m_server.tree().find(m_layout.claim(id)) != nullptr; }
    std::vector<jobs::JobId> waitsFor(const jobs::JobId &id) const;
    bool leadsTo(const jobs::JobId &id, const jobs::JobId &on, std::set<jobs::JobId> &seen) const;

    FakeZooKeeper &m_server;
    jobs::Layout m_layout;
    const std::map<jobs::JobId, jobs::JobId> &m_movedTo;
    std::set<std::pair<jobs::JobId, jobs::JobId>> m_passed; // over the first, by the second
    qint64 m_claimed = 0;
    qint64 m_moved = 0;
};

} // namespace drover::test
