#include "recipes/revocation.h"

#include "recipes/persist.h"

namespace drover::recipes {

using zk::Answer;

namespace {

const QByteArray Request = QByteArrayLiteral("__REVOKE__");

} // namespace

async::Task<void> askRevocation(zk::Coordinator &zk, zk::Path node)
{
    const auto write = [&] { return zk.set(node, Request); };
    const Answer<zk::Stat> written = co_await persist(zk, write);
    if (!written.is(zk::Code::NoNode))
        written.require();
}

async::Task<void> revocationAsked(zk::Coordinator &zk, Fence fence)
{
    for (;;) {
        zk::Watch watch;
        const auto look = [&] { return zk.get(fence.path, watch); };
        const Answer<zk::Node> node = co_await persist(zk, look);
        if (!node.ok() || node->stat.czxid != fence.czxid)
            throw TicketRevoked(fence.path);
        if (node->data == Request)
            co_return;
        const async::Future<zk::WatchEvent> fired = watch.fired();
        co_await fired;
    }
}

} // namespace drover::recipes
