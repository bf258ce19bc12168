#pragma once

#include "async/task_group.h"
#include "jobs/model/gang.h"
#include "recipes/blocks/fence.h"
#include "zk/client.h"

#include <chrono>
#include <functional>
#include <map>
#include <optional>

namespace drover::workers {

// The node of one round of a gang, as the master follows it: its children are the members that have a place.
class GangRoundNode
{
public:
    // `onChange` is called from the loop when the children have changed, and when they are listed for the first time.
    GangRoundNode(zk::Client &zk, zk::Path path, std::function<void()> onChange);

    const zk::Path &path() const { return m_path; }
    bool isListed() const { return m_listed; } // false: nothing else is known yet
    bool isGone() const { return m_gone; } // deleted by hand: no member can enter or begin any more
    bool hasBegun() const { return m_names.contains(jobs::GangStart::Name); }
    bool has(const jobs::GangPlaceName &place) const { return m_names.contains(place.name()); }

    // The members that have begun, as `ready` lists them; none if that is gone or malformed. Reads it once. Throws
    // SessionLost, AccessDenied.
    async::Task<jobs::GangStart> start();
    // A member that has lost its place although its end is not reported. `unfinished`: the nodes of the members whose
    // ends are not reported, by rank, of a round that has begun. If there are several, a member that was given back:
    // the others may have failed for the same reason. Throws as start().
    struct Lost {
        int rank = 0;
        bool givenBack = false; // its worker stopped, or was cut off, and returned it
    };
    async::Task<std::optional<Lost>> findLost(std::map<int, zk::Path> unfinished);
    // Whether the members have begun although `ready` is not listed: it was deleted by hand, or appears in a moment.
    // The transaction that creates it changes each member's node, which is what this looks at. Throws as start().
    async::Task<bool> hasBegunUnseen();
    // When `ready` was created; nothing if it is not there.
    async::Task<std::optional<std::chrono::milliseconds>> begunAt();

    // Removes what members that are gone have left below it. Blocked: something cannot be removed. Throws Deposed,
    // SessionLost.
    enum class Cleared { Empty, Gone, Blocked };
    async::Task<Cleared> clear(const recipes::Fence &fence);

private:
    zk::Client &m_zk;
    zk::Path m_path;
    bool m_listed = false;
    bool m_gone = false;
    QByteArrayList m_names;
    std::optional<jobs::GangStart> m_start; // once `ready` was read
    async::TaskGroup m_following{[](const std::exception_ptr &) {}}; // the master hears of the session's end elsewhere
};

} // namespace drover::workers
