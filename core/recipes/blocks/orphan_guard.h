#pragma once

#include "zk/client.h"

#include <QPointer>

#include <functional>

namespace drover::recipes {

// Identifies the node of one create: by a prefix of its name that is used once. If the layout has no room for that,
// also by the beginning of its data (see Client::discardMatching()), which later changes of the data must keep.
struct CreateMark {
    QByteArray prefix;
    QByteArray data;
};

// Deletes the node of a create whose outcome is unknown. While the guard is armed, that node may exist without an
// owner, as an orphan. The destructor then deletes it in the background.
class OrphanGuard
{
public:
    // Deletes the node with this mark.
    OrphanGuard(zk::Client &zk, zk::Path directory, CreateMark mark)
        : m_zk(&zk), m_discard([directory = std::move(directory), mark = std::move(mark)](zk::Client &owner) {
              owner.discardMatching(directory, mark.prefix, mark.data);
          })
    {
    }
    // Calls `discard` to delete the node.
    OrphanGuard(zk::Client &zk, std::function<void(zk::Client &)> discard)
        : m_zk(&zk), m_discard(std::move(discard)) { }
    OrphanGuard(const OrphanGuard &) = delete;
    OrphanGuard &operator=(const OrphanGuard &) = delete;
    ~OrphanGuard()
    {
        if (m_armed && m_zk)
            m_discard(*m_zk);
    }

    void arm() { m_armed = true; }
    void disarm() { m_armed = false; }

private:
    QPointer<zk::Client> m_zk;
    std::function<void(zk::Client &)> m_discard;
    bool m_armed = false;
};

} // namespace drover::recipes
