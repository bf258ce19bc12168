#include "recipes/locks/revocation.h"

#include "recipes/blocks/node_kind.h"
#include "recipes/blocks/persistent.h"
#include "recipes/blocks/ticket.h"

namespace drover::recipes {

using zk::Answer;

namespace {

const QByteArray Request = QByteArrayLiteral("__REVOKE__");

// What a ticket's data says of its create, if its name does not: the uuid and a space. See Ticket::Style::BySession.
QByteArray markIn(const QByteArray &data)
{
    constexpr qsizetype Uuid = 36;
    return data.indexOf(' ') == Uuid ? data.first(Uuid + 1) : QByteArray();
}

} // namespace

QByteArray requestIn(const QByteArray &name, const QByteArray &data)
{
    return (kindOf(name) == NodeKind::WriteLock ? markIn(data) : QByteArray()) + Request;
}

bool knowsRequests(const QByteArray &name)
{
    const NodeKind kind = kindOf(name);
    return kind == NodeKind::Mutex || kind == NodeKind::ReadWriteLock || kind == NodeKind::WriteLock;
}

async::Task<void> askRevocation(zk::Client &zk, zk::Path node)
{
    const bool isMarked = kindOf(node.name()) == NodeKind::WriteLock;
    for (;;) {
        QByteArray mark;
        qint32 version = zk::AnyVersion;
        if (isMarked) {
            const Answer<zk::Node> present = co_await Persistent(zk).get(node);
            if (!present.ok())
                co_return;
            mark = markIn(present->data);
            version = present->stat.version;
        }
        const Answer<zk::Stat> written = co_await Persistent(zk).set(node, mark + Request, version);
        if (written.ok() || written.is(zk::Code::NoNode))
            co_return;
        written.requireUnless(zk::Code::BadVersion); // another contender has asked meanwhile
    }
}

async::Task<void> revocationAsked(zk::Client &zk, Fence fence)
{
    for (;;) {
        zk::Watch watch;
        const Answer<zk::Node> node = co_await Persistent(zk).get(fence.path, watch);
        if (!node.ok() || node->stat.czxid != fence.czxid)
            throw TicketRevoked(fence.path);
        if (node->data == markIn(node->data) + Request)
            co_return;
        const async::Future<zk::WatchEvent> fired = watch.fired();
        co_await fired;
    }
}

} // namespace drover::recipes
