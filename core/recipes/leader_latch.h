#pragma once

#include "recipes/leadership.h"
#include "recipes/line.h"

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
//       campaign; tell the listener: leading
//       when in doubt, tell it: not leading
//       connected again, and the node is still there: leading as before, with the same fence; else start again
//
// Lost reply: the node is adopted (Ticket). Suspended: leadership is in doubt at once, and the place is kept as long as
// the session lives. Expired: the next in line leads; campaign() and participate() throw SessionLost, see
// forEachSession() for what comes then. Node or directory deleted by another hand: whoever stands by takes a new place,
// at the end, and a leader is in doubt within a round trip. Numbers used up (2^31): NumbersUsedUp is thrown, and who
// leads goes on leading. Two participants of one session are two participants. Cancelled by destruction, without an
// orphan.
//
// A deposed leader that has not noticed writes nothing, if it guards its writes with the fence.
class LeaderLatch
{
public:
    // What participate() does when it is destroyed while leading.
    enum class CloseMode { Silent, NotifyLeader };
    // Called with the leadership, and with nullptr when that is gone or in doubt. Must not destroy the task; may
    // resign.
    using Listener = std::function<void(Leadership *)>;

    // `kind` is how the nodes are named: Curator's recipes differ in that.
    LeaderLatch(zk::Coordinator &zk, zk::Path directory, QByteArray kind = QByteArrayLiteral("latch-"))
        : m_zk(zk), m_directory(std::move(directory)), m_kind(std::move(kind))
    {
    }
    // Latches alone, if strangers are to be refused: a campaign throws OtherLayout then.
    LeaderLatch(zk::Coordinator &zk, zk::Path directory, Strangers strangers) : LeaderLatch(zk, std::move(directory))
    {
        if (strangers == Strangers::Refuse)
            m_precedence = Precedence().accepting(&LeaderLatch::accepts);
    }

    static bool accepts(const QByteArray &name) { return standsInLineOf(NodeKind::Latch, name); }

    // Returns when elected. Throws SessionLost, NumbersUsedUp. The latch must outlive the tasks.
    async::Task<Leadership> campaign(QByteArray id);

    // Stands for election until destroyed. Throws SessionLost, after the listener was told; NumbersUsedUp.
    async::Task<void> participate(QByteArray id, Listener listener, CloseMode mode = CloseMode::Silent);

    // Who leads now, if anybody does. Throws SessionLost.
    async::Task<std::optional<Participant>> leader();
    // All, in order: the first leads. Throws SessionLost.
    async::Task<std::vector<Participant>> participants() { return recipes::participants(m_zk, m_directory); }

    // Calls `onChange` with who leads, now and whenever that changes, until destroyed or the session ends
    // (SessionLost). Reads the leader after each change of the directory; one watch. `onChange` must not destroy the
    // task.
    async::Task<void> follow(std::function<void(const std::optional<Participant> &)> onChange);

private:
    zk::Coordinator &m_zk;
    zk::Path m_directory;
    QByteArray m_kind;
    Precedence m_precedence;
};

} // namespace drover::recipes
