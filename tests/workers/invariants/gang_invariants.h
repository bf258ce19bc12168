#pragma once

#include "jobs/model/final_record.h"
#include "jobs/model/gang.h"
#include "support/fake/fake_zookeeper.h"
#include "workers/invariants/permit_invariants.h"

#include <QSet>
#include <QStringList>

#include <map>
#include <set>

namespace drover::test {

// Whether a time of the servers' clock that is noted now is at most so much later. What noted it may have stood still
// since, or waited for an answer. So only what is wrong by hours is found.
inline bool isSoon(std::chrono::milliseconds time, std::chrono::milliseconds later, const VirtualLoop &world)
{
    constexpr std::chrono::hours Past{12};
    constexpr std::chrono::minutes Slack{2};
    return time >= world.wallClock() - Past && time <= world.wallClock() + later + Slack;
}

// What must never happen to a gang; each call returns what has, or nothing:
//
//     -  a round begins, and one of its members is not there with a live session, or has no permit of a limit of theirs
//        (PermitInvariants)
//     -  a round begins while a member of an earlier one that has begun is still claimed
//     -  a process of a member runs that is not one of those with which its round has begun
//     -  a time of a round is not near the servers'
//     -  a gang succeeds, and not all members of its last round have, or that never began
class GangInvariants
{
public:
    GangInvariants(FakeZooKeeper &server, jobs::Layout layout, PermitInvariants &permits)
        : m_server(server), m_layout(std::move(layout)), m_permits(permits)
    {
    }

    QString onTaskMade(const jobs::JobId &id, const jobs::JobSpec &spec);
    QString onStored(const jobs::JobId &id, const QByteArray &data);
    QString onReady(const zk::Path &path, const QByteArray &data);
    void onTaskDone(const jobs::FinalRecord &record) { m_ends[record.id] = record.state(); }
    QString onDone(const jobs::FinalRecord &record);
    void onTaskDeleted(const jobs::JobId &id) { m_deleted.insert(id); } // by hand: it has ended for its gang
    QStringList checkExecutions(const std::vector<Execution> &witness) const;

    bool isGang(const jobs::JobId &id) const { return m_sizes.contains(id); }
    qint64 begun() const { return static_cast<qint64>(m_started.size()); } // rounds
    qint64 limited() const { return m_limitedRounds; } // rounds whose members each had a permit of a limit
    qint64 withdrawn() const { return m_withdrawn; } // rounds that never began
    qint64 succeeded() const { return m_succeeded; }
    qint64 timesNoted() const { return m_timesNoted; } // of rounds
    qint64 again() const { return m_again; } // rounds after the first of their gangs

private:
    QString aliveBefore(const jobs::JobId &gang, int round) const;

    FakeZooKeeper &m_server;
    jobs::Layout m_layout;
    PermitInvariants &m_permits;
    std::map<jobs::JobId, int> m_sizes;
    std::map<jobs::JobId, int> m_rounds; // the last that was made
    std::map<QByteArray, std::set<QByteArray>> m_started; // tokens of those that have begun, by the round's node
    std::map<jobs::JobId, jobs::JobState> m_ends;
    std::set<jobs::JobId> m_deleted;
    qint64 m_limitedRounds = 0;
    qint64 m_withdrawn = 0;
    qint64 m_succeeded = 0;
    qint64 m_again = 0;
    qint64 m_timesNoted = 0;
};

} // namespace drover::test
