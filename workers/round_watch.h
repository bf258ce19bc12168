#pragma once

#include "async/task_group.h"
#include "jobs/gang.h"
#include "zk/coordinator.h"

#include <functional>

namespace drover::workers {

// Who is in a round of a gang, as the children of its node tell the master.
class RoundWatch
{
public:
    // `onChange`: they are others now; called from the loop, first when they have been listed.
    RoundWatch(zk::Coordinator &zk, zk::Path path, std::function<void()> onChange);

    const zk::Path &path() const { return m_path; }
    bool isListed() const { return m_listed; } // before that nothing else is known
    bool isGone() const { return m_gone; } // somebody has deleted its node: nobody can enter or begin any more
    bool hasBegun() const { return m_names.contains(jobs::GangStart::Name); }
    bool has(const jobs::GangPlaceName &place) const { return m_names.contains(place.name()); }

    // Who has begun, as `ready` says: nobody if it is gone, or was written by somebody. Reads it once. Throws
    // SessionLost, AccessDenied.
    async::Task<jobs::GangStart> start();
    // For when no `ready` is listed: members have begun, and somebody has deleted it since, or it comes in a moment. It
    // was made with a change of each member's node. Throws the same.
    async::Task<bool> hasBegunUnseen();

private:
    zk::Coordinator &m_zk;
    zk::Path m_path;
    bool m_listed = false;
    bool m_gone = false;
    QByteArrayList m_names;
    std::optional<jobs::GangStart> m_start; // once it was read
    async::TaskGroup m_following{[](const std::exception_ptr &) {}}; // the master hears of the session's end elsewhere
};

} // namespace drover::workers
