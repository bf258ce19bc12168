#pragma once

#include "recipes/blocks/fence.h"
#include "zk/client.h"

#include <QPointer>

namespace drover::recipes {

// An ephemeral znode of our own: a Ticket in a line, or a NamedNode. Movable. Its destructor deletes the node, and only
// that node. A fixed name may belong to a successor by then, so the node is recognised by its epoch or by the
// transaction that created it. The delete is sent at once and retried in the background until the node is gone or the
// session has ended (Client::retryInBackground).
class OwnNode
{
public:
    // Unique: no other node ever has this name. Fixed: a later holder's node has the name as well.
    enum class Name { Unique, Fixed };

    OwnNode(zk::Client &zk, Fence fence, Name name);
    OwnNode(OwnNode &&other) noexcept;
    OwnNode &operator=(OwnNode &&other) noexcept;
    ~OwnNode() { giveUp(); }

    const Fence &fence() const { return m_fence; }
    const zk::Path &path() const { return m_fence.path; }
    QByteArray name() const { return m_fence.path.name(); }
    zk::Path directory() const { return m_fence.path.parent(); }

    // Null once the session's object has been destroyed.
    zk::Client *session() const { return m_zk; }
    zk::Client &client() const { return *m_zk; }

    // Deletes the node without waiting for the server.
    void giveUp() { giveUp(nullptr); }
    // Deletes the node as giveUp() does. The future is settled when a server has answered. It throws AccessDenied if
    // the server refuses, because the directory's ACL has changed; the node then stays until the session ends. It
    // throws SessionLost if the session ends first, which deletes the node, and BrokenPromise if the Client is
    // destroyed.
    async::Future<zk::Nothing> remove();

private:
    void giveUp(const zk::Client::CleanupEnd &end);

    QPointer<zk::Client> m_zk;
    Fence m_fence;
    Name m_name;
    bool m_exists = true; // the destructor has to delete it
};

} // namespace drover::recipes
