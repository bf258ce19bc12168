#pragma once

#include "async/future.h"
#include "zk/path.h"

#include <functional>
#include <memory>

namespace drover::zk {

struct WatchEvent {
    enum class Type { Created, Deleted, DataChanged, ChildrenChanged };
    Type type = Type::DataChanged;
    Path path;
};

// The read that set the watch decides which events fire it, as on the server. A data watch fires on change and
// deletion. An exists watch fires on creation, change and deletion. A child watch fires when a child is created or
// deleted, and on deletion of the node.
enum class WatchKind { Data, Exists, Children };

// The part of a watch that the Client keeps while it is armed.
struct WatchCell {
    WatchKind kind = WatchKind::Data;
    Path path;
    bool armed = false;
    async::Promise<WatchEvent> promise;
    // Set by the Client while armed. The Watch calls it when its owner disarms or destroys it.
    std::function<void(WatchCell &)> abandoned;
};

// A one-shot watch: hand it to a read, then await fired(). The read arms it, unless get() or children() finds no node;
// exists() arms it in any case. It fires once, or throws SessionLost when the session ends. It survives a connection
// loss. A further read arms it anew and forgets the old watch. The destructor disarms it, here at once and on the
// server soon after. The waiting coroutine owns it. It belongs to one thread.
class Watch
{
public:
    Watch() = default;
    Watch(Watch &&other) noexcept = default;
    Watch &operator=(Watch &&other) noexcept
    {
        std::swap(m_cell, other.m_cell);
        return *this;
    }
    ~Watch() { disarm(); }

    bool armed() const { return m_cell && m_cell->armed; }
    bool hasFired() const { return m_cell && m_cell->promise.settled(); }

    // Call it only after a read has armed the watch, and at most once for each arming.
    async::Future<WatchEvent> fired() const;

    void disarm();

    // For Client: makes a new cell for a read.
    std::shared_ptr<WatchCell> prepare(WatchKind kind, const Path &path);

private:
    std::shared_ptr<WatchCell> m_cell;
};

} // namespace drover::zk
