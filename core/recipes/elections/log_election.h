#pragma once

#include "recipes/blocks/named_node.h"
#include "recipes/blocks/participants.h"
#include "recipes/blocks/ticket.h"
#include "recipes/elections/ephemeral_lease.h"

#include <functional>

namespace drover::recipes {

// Election of the replica with the longest log. Each candidate publishes the number of the last record in its log. A
// majority must be present, and the highest number leads. This is Spinnaker's election (Rao, Shekita, Tata, "Using
// Paxos to Build a Scalable, Consistent, and Highly Available Datastore", VLDB 2011, section 7.2). A committed record
// is in a majority of the logs. Two majorities share a member, so the winner has the record.
//
//     <directory>
//         candidates/_c_<uuid>-n-0000000007   ephemeral, only during an election; data = "<last number> <ballot> <id>"
//         leader                              ephemeral, data = the leader's id
//         epoch                               persistent: its version counts the leaders (the fence, see NamedNode)
//
//     campaign: loop:
//       wait until there is no leader
//       ballot := the transaction that last changed epoch
//       publish our last number, for this ballot
//       until epoch changes:
//         read the candidates of this ballot; an id counts once, by its newest node
//         if they are a majority, and ours has the highest number, the lowest sequence among equals:
//             multi(check our candidate, create leader, setData epoch if unchanged); if carried out: leader
//         wait until candidates come or go, or epoch changes
//
// The ballot makes late counting harmless. A number that was published before an earlier leader began does not include
// the records which that leader committed. A candidate that counted before that leader finds that epoch has changed. So
// the caller must keep two rules. After lastNumber() was called, its replica accepts no record of an earlier leader.
// And it accepts only the leader of the node, whose epoch it compares.
//
// A candidate that comes late is counted if there is no leader yet; otherwise it waits. If a counted candidate
// vanishes, or wins and vanishes, the others count again. If the leader dies, a new ballot begins. Lost reply:
// candidate and leader are adopted (Ticket, NamedNode). Suspended: leadership is in doubt; candidates continue when
// connected. Expired: SessionLost. Candidate or directory deleted by another program: the number is published again.
// Numbers used up (2^31 candidates): NumbersUsedUp. Two sessions of one id, such as a restarted program's: one vote, by
// the newer node. Each change wakes all candidates, so use it for the few replicas of a log. Cancelling by destruction
// leaves no orphan.
class LogElection
{
public:
    using LastNumber = std::function<qint64()>;

    // `replicas` is the number of all replicas, present or not. More than half of them must be candidates.
    LogElection(zk::Client &zk, zk::Path directory, int replicas)
        : m_zk(zk), m_directory(std::move(directory)), m_replicas(replicas)
    {
    }

    // Returns when elected. `id` names the replica. Throws SessionLost, NumbersUsedUp. The election must outlive the
    // task.
    async::Task<Leadership> campaign(QByteArray id, LastNumber lastNumber);

    // The leader, if there is one. To follow it: followData(zk, leaderPath(), ...). Throws SessionLost.
    async::Task<std::optional<Participant>> leader() { return holderOf(m_zk, leaderPath()); }
    zk::Path leaderPath() const { return m_directory / "leader"; }

private:
    async::Task<zk::Stat> beginBallot();
    async::Task<std::optional<NamedNode>> contest(const Ticket &candidate, QByteArray id, zk::Stat epoch);

    zk::Path candidates() const { return m_directory / "candidates"; }
    zk::Path epochPath() const { return m_directory / "epoch"; }

    zk::Client &m_zk;
    zk::Path m_directory;
    int m_replicas;
};

} // namespace drover::recipes
