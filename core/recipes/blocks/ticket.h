#pragma once

#include "recipes/blocks/own_node.h"

#include <optional>

namespace drover::recipes {

// The directory has had 2^31 - 1 children. The server's counter stops there (ZOOKEEPER-3249): all later children get
// one number and have no order.
class NumbersUsedUp : public zk::Error
{
public:
    explicit NumbersUsedUp(const zk::Path &directory);
};

// Another program deleted our node while the session lives. The place, lock or leadership is lost.
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
// Protected is Curator's protected create (org.apache.curator.utils ProtectedUtils), so Java programs can stand in the
// line. After a lost reply take() looks for the uuid and adopts the node instead of creating a second one. BySession is
// the layout of ZooKeeper's own lock recipe, with a decimal, signed session id. Two tickets of one session have equal
// prefixes there, which the original recipe confuses. So here the data begins with a uuid.
//
//     send create(directory/<prefix>, ephemeral sequential), children(directory)   -- one round trip
//     if either finds the directory missing: create it, start again
//     if the reply was lost: wait for the connection, sync, list; adopt our session's child with our uuid,
//                            or start again
//
// The waiter or holder owns it. Destroying a Ticket deletes the node (OwnNode). Destroying the coroutine that takes a
// ticket deletes the node that it may have created.
class Ticket : public OwnNode
{
public:
    enum class Style { Protected, BySession };

    // The names of a line's nodes. `kind` must end so that a number can follow: "lock-", "latch-", "x-".
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
    static async::Task<Taken> take(zk::Client &zk, zk::Path directory, Form form, QByteArray data);

    // Creates a second place with the number and the token of `held`: all nodes that wait behind one wait behind both.
    // It is created only while `held` exists, in one transaction. Throws SessionLost and TicketRevoked. `held` must
    // outlive the task.
    static async::Task<Ticket> takeBeside(const OwnNode &held, QByteArray kind, QByteArray data);

    // An existing node of this session, with a unique name.
    Ticket(zk::Client &zk, zk::Path path, const zk::Stat &stat);

private:
    Ticket(zk::Client &zk, Fence fence) : OwnNode(zk, std::move(fence), Name::Unique) { }
};

// The ticket, and the children of the directory just after its creation, unless the reply was lost.
struct Ticket::Taken {
    Ticket ticket;
    std::optional<QByteArrayList> line;
};

} // namespace drover::recipes
