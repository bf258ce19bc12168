#pragma once

#include "recipes/leader_latch.h"

namespace drover::recipes {

// Runs a task while leader (Curator's LeaderSelector, whose line is that of an InterProcessMutex): each participant
// gets its turn, in order, and leads for as long as its task lasts.
//
//     <directory>
//         _c_<uuid>-lock-0000000003     ephemeral, data = the participant's id; the lowest number leads
//         _c_<uuid>-lock-0000000005     stands by, watching 3
//
//     run: loop:
//       campaign
//       run the task until it ends or the leadership is in doubt
//       resign; once more if `requeue` says so
//
// The task is destroyed, at the next turn of the loop, when the connection is lost, the session ends or the node is
// deleted: it never goes on for a leader who may not be one. An error that it throws ends run(), unless it comes from
// that doubt (the ConnectionLoss of what it had under way). Suspended while leading: the place is given up, and the
// next one is at the end of the line. Expired: run() throws SessionLost when it stands again, which forEachSession()
// does with a new session. All other failures are as of LeaderLatch.
class LeaderSelector
{
public:
    enum class Requeue { Never, Always };
    // Gets the leadership that its writes need the fence of; may resign it.
    using TakeLeadership = std::function<async::Task<void>(Leadership &)>;

    LeaderSelector(zk::Coordinator &zk, zk::Path directory)
        : m_line(zk, std::move(directory), QByteArrayLiteral("lock-"))
    {
    }

    // With Requeue::Never: whether the task ended by itself; false if it was cut off, be it by the session's end. With
    // Always it does not return. Throws SessionLost, NumbersUsedUp, what the task throws. The selector must outlive it.
    async::Task<bool> run(QByteArray id, TakeLeadership takeLeadership, Requeue requeue = Requeue::Never);

    // Whether the task is running.
    bool leads() const { return m_leads; }

    async::Task<std::optional<Participant>> leader() { return m_line.leader(); }
    async::Task<std::vector<Participant>> participants() { return m_line.participants(); }

private:
    LeaderLatch m_line;
    bool m_leads = false;
};

} // namespace drover::recipes
