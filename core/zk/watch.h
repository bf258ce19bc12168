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

// Which read set the watch, and so which events fire it, as on the server: a data watch fires on change and deletion,
// an exists watch on creation, change and deletion, a child watch on children coming or going and on deletion.
enum class WatchKind { Data, Exists, Children };

// The part of a watch that the Coordinator keeps while it is armed.
struct WatchCell {
    WatchKind kind = WatchKind::Data;
    Path path;
    bool armed = false;
    async::Promise<WatchEvent> promise;
    std::function<void(WatchCell &)> abandoned; // set by the coordinator while armed: the owner has lost interest
};

// A one-shot watch: hand it to a read, then await fired(). The read arms it (a get or children of a missing node does
// not; an exists of one does). It fires once, or throws SessionLost when the session ends; connection loss does not end
// it. Handing it to another read arms it anew and forgets the old one. Destroying it disarms it, here at once and on
// the server soon after. Owned by the waiting coroutine; one thread.
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

    // Only after a read has armed it. At most once for each arming.
    async::Future<WatchEvent> fired() const;

    void disarm();

    // For Coordinator: a fresh cell for a read.
    std::shared_ptr<WatchCell> prepare(WatchKind kind, const Path &path);

private:
    std::shared_ptr<WatchCell> m_cell;
};

} // namespace drover::zk
