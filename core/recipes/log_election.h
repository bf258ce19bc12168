#pragma once

#include "recipes/leadership.h"

#include <functional>

namespace drover::recipes {

// Election of the replica that knows the most: candidates publish the number of the last record in their log, a
// majority has to be present, and the highest number leads (Rao, Shekita, Tata, "Using Paxos to Build a Scalable,
// Consistent, and Highly Available Datastore", VLDB 2011, section 7.2: Spinnaker). What is committed is on a majority
// of the logs, two majorities share a member, so the winner has it.
//
//     <directory>
//         candidates/_c_<uuid>-n-0000000007   ephemeral, data = "<last number> <round> <id>", during an election only
//         leader                              ephemeral, data = the leader's id
//         epoch                               persistent: its version counts the leaders (the fence, see NamedNode)
//
//     campaign: loop:
//       wait until there is no leader
//       round := the transaction that last changed epoch
//       publish our last number, for this round
//       until epoch changes:
//         read the candidates of this round; an id counts once, by its newest node
//         if they are a majority, and ours has the highest number, the lowest sequence among equals:
//             multi(check our candidate, create leader, setData epoch if unchanged); if that is done: leader
//         wait until candidates come or go, or epoch changes
//
// The round is what makes late counting harmless: a number published before an earlier leader began says nothing about
// what that leader committed, and whoever counted before it finds epoch changed. Hence the caller's part: from the
// moment lastNumber() was called a replica accepts no record of an earlier leader, and it calls nobody leader but the
// one of the node, whose epoch it compares.
//
// Candidates that come late take part in the count if there is no leader yet, else they wait. One that vanishes while
// it is counted, or wins and vanishes, makes the others count again. A leader that dies: a new round. Lost reply:
// candidate and leader are adopted (Ticket, NamedNode). Suspended: leadership is in doubt, candidates go on when
// connected. Expired: SessionLost. Candidate deleted by another hand, or the directory: published again. Numbers used
// up (2^31 candidates): NumbersUsedUp. Two sessions of one id, say of a program that was restarted: one voice, that of
// the newer. All candidates are woken by each change: meant for the few replicas of a log. Cancelled by destruction,
// without an orphan.
class LogElection
{
public:
    using LastNumber = std::function<qint64()>;

    // `replicas` is how many there are in all, present or not: more than half of them have to be candidates.
    LogElection(zk::Coordinator &zk, zk::Path directory, int replicas)
        : m_zk(zk), m_directory(std::move(directory)), m_replicas(replicas)
    {
    }

    // Returns when elected. `id` names the replica. Throws SessionLost, NumbersUsedUp. The election must outlive the
    // task.
    async::Task<Leadership> campaign(QByteArray id, LastNumber lastNumber);

    // Who leads now, if anybody does. To follow it: followData(zk, leaderPath(), ...). Throws SessionLost.
    async::Task<std::optional<Participant>> leader() { return holderOf(m_zk, leaderPath()); }
    zk::Path leaderPath() const { return m_directory / "leader"; }

private:
    async::Task<zk::Stat> beginRound();
    async::Task<std::optional<NamedNode>> contest(const Ticket &candidate, QByteArray id, zk::Stat epoch);

    zk::Path candidates() const { return m_directory / "candidates"; }
    zk::Path epochPath() const { return m_directory / "epoch"; }

    zk::Coordinator &m_zk;
    zk::Path m_directory;
    int m_replicas;
};

} // namespace drover::recipes
