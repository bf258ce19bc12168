#pragma once

#include "async/task_group.h"
#include "jobs/gang.h"
#include "recipes/follow.h"
#include "workers/keep_following.h"

#include <functional>

namespace drover::workers {

// Who is in a round of a gang, as the children of its node tell the master.
class RoundWatch
{
public:
    // `onChange`: they are others now; called from the loop, first when they have been listed.
    RoundWatch(zk::Coordinator &zk, zk::Path path, std::function<void()> onChange) : m_path(std::move(path))
    {
        const auto note = [this, tell = std::move(onChange)](const zk::Answer<zk::Children> &children) {
            m_listed = true;
            m_gone = !children.ok();
            m_names = m_gone ? QByteArrayList() : children->names;
            tell();
        };
        const QString meanwhile = QStringLiteral("a round of a gang is taken for what it was until it can be listed");
        m_following.spawn(keepFollowing(
            zk, meanwhile, [this, &zk, note] { return recipes::followChildren(zk, m_path, recipes::Pace(), note); }));
    }

    const zk::Path &path() const { return m_path; }
    bool isListed() const { return m_listed; } // before that nothing else is known
    bool isGone() const { return m_gone; } // somebody has deleted its node: nobody can enter or begin any more
    bool hasBegun() const { return m_names.contains(jobs::GangStart::Name); }
    bool has(const jobs::GangPlaceName &place) const { return m_names.contains(place.name()); }

    std::optional<jobs::GangStart> start; // once it was read

private:
    zk::Path m_path;
    bool m_listed = false;
    bool m_gone = false;
    QByteArrayList m_names;
    async::TaskGroup m_following{[](const std::exception_ptr &) {}}; // the master hears of the session's end elsewhere
};

} // namespace drover::workers
