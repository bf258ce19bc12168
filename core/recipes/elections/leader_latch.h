#pragma once

#include "recipes/blocks/line.h"
#include "recipes/blocks/participants.h"
#include "recipes/elections/ephemeral_lease.h"

#include <functional>

namespace drover::recipes {

// Election of one leader among participants (Curator's LeaderLatch): a lock whose holder is public.
//
//     <directory>
//         _c_<uuid>-latch-0000000003    ephemeral, data = the participant's id; the lowest number leads
//         _c_<uuid>-latch-0000000005    stands by, watching 3
//
//     campaign: take a ticket with our id; await its turn
//
//     participate: loop:
//       campaign; call the listener: leading
//       when in doubt, call it: not leading
//       connected again, and the node still exists: leading as before, with the old fence; else start again
//
// Lost reply: the node is adopted (Ticket). Suspended: leadership is in doubt at once; the place is kept as long as the
// session lives. Expired: the next in line leads; campaign() and participate() throw SessionLost (use forEachSession()
// to begin again). Node or directory deleted by another program: a candidate takes a new place at the end. A leader is
// in doubt within a round trip. Numbers used up (2^31): NumbersUsedUp is thrown, and the present leader goes on. Two
// participants of one session are distinct. Cancelling by destruction leaves no orphan.
//
// A deposed leader that has not noticed can write nothing, if it guards its writes with the fence.
class LeaderLatch
{
public:
    // Whether participate() calls the listener when it is destroyed while leading.
    enum class CloseMode { Silent, NotifyLeader };
    // Called with the leadership, and with nullptr when it is gone or in doubt. It may resign, but must not destroy the
    // task.
    using Listener = std::function<void(Leadership *)>;

    // `kind` begins the nodes' names, which differ between Curator's recipes.
    LeaderLatch(zk::Client &zk, zk::Path directory, QByteArray kind = QByteArrayLiteral("latch-"))
        : m_zk(zk), m_directory(std::move(directory)), m_kind(std::move(kind))
    {
    }
    // With Strangers::Refuse a campaign throws OtherLayout if the directory has nodes other than latches.
    LeaderLatch(zk::Client &zk, zk::Path directory, Strangers strangers) : LeaderLatch(zk, std::move(directory))
    {
        m_rules = m_rules.among(strangers, &LeaderLatch::accepts);
    }

    static bool accepts(const QByteArray &name) { return standsInLineOf(NodeKind::Latch, name); }

    // Returns when elected. Throws SessionLost, NumbersUsedUp. The latch must outlive the tasks.
    async::Task<Leadership> campaign(QByteArray id);

    // Stands for election until destroyed. Throws SessionLost, after it has called the listener, and NumbersUsedUp.
    async::Task<void> participate(QByteArray id, Listener listener, CloseMode mode = CloseMode::Silent);

    // The leader, if there is one. Throws SessionLost.
    async::Task<std::optional<Participant>> leader();
    // All participants in order; the first one leads. Throws SessionLost.
    async::Task<std::vector<Participant>> participants() { return recipes::participants(m_zk, m_directory); }

    // Calls `onChange` with the present leader, and after each change of leader, until destroyed or the session ends
    // (SessionLost). It reads the leader after each change of the directory; one watch. `onChange` must not destroy the
    // task.
    async::Task<void> follow(std::function<void(const std::optional<Participant> &)> onChange);

private:
    zk::Client &m_zk;
    zk::Path m_directory;
    QByteArray m_kind;
    LineRules m_rules;
};

} // namespace drover::recipes
