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

// Our node is gone although the session lives: somebody deleted it. What it stood for is lost.
class TicketRevoked : public zk::Error
{
public:
    explicit TicketRevoked(const zk::Path &path);
};

// A place in a line: an ephemeral sequential znode of our own.
//
//     <directory>/_c_<uuid>-<kind><sequence>       Protected
//     <directory>/<kind><session id>-<sequence>    BySession
//
// Protected is Curator's protected create (org.apache.curator.utils ProtectedUtils), so that Java programs stand in the
// same line. take() survives a lost reply: it looks for the uuid and adopts the node instead of making a second one.
// BySession is ZooKeeper's own lock recipe, the session id being decimal and signed. Two tickets of one session have
// the same prefix there, and the original takes the one for the other; so the uuid is in the data, before the caller's.
//
//     send create(directory/<prefix>, ephemeral sequential), children(directory)   -- one round trip
//     if the directory is missing, for the one or for the other: create it, start again
//     if the reply was lost: wait for the connection, sync, list; adopt our session's child with our uuid,
//                            or start again
//
// Owned by whoever stands in line. Destroying a Ticket deletes the node; destroying the coroutine that takes one
// deletes the node that may or may not exist. Both are obligations that the Coordinator keeps (Coordinator::discard).
class Ticket
{
public:
    enum class Style { Protected, BySession };

    // What the nodes of a line are called. `kind` ends so that a number can follow: "lock-", "latch-", "x-".
    class Form
    {
    public:
        Form(const char *kind, Style style = Style::Protected) : m_kind(kind), m_style(style) { }
        Form(QByteArray kind, Style style = Style::Protected) : m_kind(std::move(kind)), m_style(style) { }

        const QByteArray &kind() const { return m_kind; }
        Style style() const { return m_style; }

    private:
        QByteArray m_kind;
        Style m_style;
    };

    struct Taken;

    // Throws SessionLost, NumbersUsedUp.
    static async::Task<Taken> take(zk::Coordinator &zk, zk::Path directory, Form form, QByteArray data);

    // A second place of the same number as `held`, for what its owner is given in addition: whoever stands behind one
    // stands behind the other. Made only while `held` exists, in one transaction. Throws SessionLost, TicketRevoked.
    // `held` must outlive the task.
    static async::Task<Ticket> takeBeside(const Ticket &held, QByteArray kind, QByteArray data);

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
