#pragma once

#include "async/loop.h"
#include "async/post_guard.h"
#include "zk/client/connect_string.h"

#include <functional>

namespace drover::zk {

// The servers of one session: the names that its user gives, and the numeric addresses behind them. The C client only
// ever sees addresses. The loop's offload() looks names up, because that may block. Lives on the loop's thread.
class ServerNames
{
public:
    // `changed` is called with the new addresses, in no particular order: from set() if all names are numeric, else
    // from the loop. It may throw. It must not destroy this object.
    ServerNames(async::Loop &loop, std::function<void(const ServerList &)> changed)
        : m_loop(loop), m_changed(std::move(changed))
    {
    }

    // Replaces the names and looks them up.
    void set(ServerList names);
    // Looks the names up again, unless all are numeric or the last lookup began less than `pause` ago.
    void refresh(async::Duration pause);

    // Why no server can be reached, for people. It has the addresses that were tried unless the user has named them,
    // then `failure`, and the names that cannot be resolved. `failure` is that of the last server, or empty.
    QString trouble(const QString &failure) const;

private:
    void lookUp();
    void finish(Resolved lookup);

    async::Loop &m_loop;
    std::function<void(const ServerList &)> m_changed;
    ServerList m_names;
    ServerList m_addresses; // empty until a lookup has found one
    Resolved m_lastLookup;
    async::TimePoint m_lookedUpAt{};
    bool m_lookingUp = false;
    async::PostGuard m_guard;
};

} // namespace drover::zk
