#pragma once

#include "recipes/elections/leader_latch.h"

namespace drover::recipes {

// Runs a task while leader (Curator's LeaderSelector, in the layout of an InterProcessMutex). Each participant gets its
// turn, in order, and leads as long as its task lasts.
//
//     <directory>
//         _c_<uuid>-lock-0000000003     ephemeral, data = the participant's id; the lowest number leads
//         _c_<uuid>-lock-0000000005     stands by, watching 3
//
//     run: loop:
//       campaign
//       run the task until it ends or the leadership is in doubt
//       resign; repeat if `requeue` says so
//
// The task is destroyed at the next turn of the loop when the connection is lost, the session ends or the node is
// deleted. So it never runs on for a leader that may be deposed. An exception of the task ends run(), unless a lost
// connection caused it (ConnectionLoss). Suspended while leading: the place is given up; the next one is at the end of
// the line. Expired: run() throws SessionLost when it campaigns again; forEachSession() repeats it with a new session.
// All other failures are as in LeaderLatch.
class LeaderSelector
{
public:
    enum class Requeue { Never, Always };
    // Gets the leadership, whose fence must guard its writes. It may resign.
    using TakeLeadership = std::function<async::Task<void>(Leadership &)>;

    LeaderSelector(zk::Client &zk, zk::Path directory)
        : m_line(zk, std::move(directory), QByteArrayLiteral("lock-")) { }

    // With Requeue::Never it returns whether the task ended by itself; false: it was destroyed, perhaps because the
    // session ended. With Requeue::Always it does not return. Throws SessionLost, NumbersUsedUp and the task's
    // exceptions. The selector must outlive it.
    async::Task<bool> run(QByteArray id, TakeLeadership takeLeadership, Requeue requeue = Requeue::Never);

    // Whether the task runs now.
    bool leads() const { return m_leads; }

    async::Task<std::optional<Participant>> leader() { return m_line.leader(); }
    async::Task<std::vector<Participant>> participants() { return m_line.participants(); }

private:
    LeaderLatch m_line;
    bool m_leads = false;
};

} // namespace drover::recipes
