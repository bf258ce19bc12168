#include "recipes/revocation.h"

#include "recipes/node_kind.h"
#include "recipes/persist.h"

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

async::Task<void> askRevocation(zk::Coordinator &zk, zk::Path node)
{
    const bool isMarked = kindOf(node.name()) == NodeKind::WriteLock;
    for (;;) {
        QByteArray mark;
        qint32 version = zk::AnyVersion;
        if (isMarked) {
            const auto read = [&] { return zk.get(node); };
            const Answer<zk::Node> present = co_await persist(zk, read);
            if (!present.ok())
                co_return;
            mark = markIn(present->data);
            version = present->stat.version;
        }
        const auto write = [&] { return zk.set(node, mark + Request, version); };
        const Answer<zk::Stat> written = co_await persist(zk, write);
        if (written.ok() || written.is(zk::Code::NoNode))
            co_return;
        if (!written.is(zk::Code::BadVersion)) // somebody else has asked meanwhile
            written.require();
    }
}

async::Task<void> revocationAsked(zk::Coordinator &zk, Fence fence)
{
    for (;;) {
        zk::Watch watch;
        const auto look = [&] { return zk.get(fence.path, watch); };
        const Answer<zk::Node> node = co_await persist(zk, look);
        if (!node.ok() || node->stat.czxid != fence.czxid)
            throw TicketRevoked(fence.path);
        if (node->data == markIn(node->data) + Request)
            co_return;
        const async::Future<zk::WatchEvent> fired = watch.fired();
        co_await fired;
    }
}

} // namespace drover::recipes
