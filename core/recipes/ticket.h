#pragma once

#include "recipes/fence.h"
#include "zk/coordinator.h"

#include <QPointer>

#include <optional>

namespace drover::recipes {

// A directory has had 2^31 - 1 children. The server's counter stops there (ZOOKEEPER-3249): all that come later have
// the same number, and there is no order among them.
class NumbersUsedUp : public zk::Error
{
public:
    explicit NumbersUsedUp(const zk::Path &directory);
};

// A place in a line: an ephemeral sequential znode of our own.
//
//     <directory>/_c_<uuid>-<kind><sequence>
//
// The name is Curator's protected create (org.apache.curator.utils ProtectedUtils), so that Java programs stand in the
// same line. take() survives a lost reply: it looks for the uuid and adopts the node instead of making a second one.
//
//     send create(directory/_c_<uuid>-<kind>, ephemeral sequential), children(directory)   -- one round trip
//     if the directory is missing: create it, start again
//     if the reply was lost: wait for the connection, sync, list; adopt the child with our uuid, or start again
//
// Owned by whoever stands in line. Destroying a Ticket deletes the node; destroying the coroutine that takes one
// deletes the node that may or may not exist. Both are obligations that the Coordinator keeps (Coordinator::discard).
class Ticket
{
public:
    struct Taken;

    // Throws SessionLost, NumbersUsedUp. `kind` ends with '-': "lock-", "latch-".
    static async::Task<Taken> take(zk::Coordinator &zk, zk::Path directory, QByteArray kind, QByteArray data);

    Ticket(zk::Coordinator &zk, zk::Path path, const zk::Stat &stat);
    Ticket(Ticket &&other) noexcept;
    Ticket &operator=(Ticket &&other) noexcept;
    ~Ticket();

    const Fence &fence() const { return m_fence; }
    const zk::Path &path() const { return m_fence.path; }
    QByteArray name() const { return m_fence.path.name(); }
    zk::Path directory() const { return m_fence.path.parent(); }
    zk::Coordinator &coordinator() const { return *m_zk; }

    // Gives the place up without waiting for the server.
    void giveUp();

private:
    QPointer<zk::Coordinator> m_zk;
    Fence m_fence;
};

// With the directory as it was just after our node was created, unless that reply was lost.
struct Ticket::Taken {
    Ticket ticket;
    std::optional<QByteArrayList> line;
};

} // namespace drover::recipes
