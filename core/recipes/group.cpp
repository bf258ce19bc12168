#include "recipes/group.h"

#include "recipes/persist.h"

#include <algorithm>

namespace drover::recipes {

using zk::Answer;
using zk::Code;

namespace {

// Returns when the node has changed hands or gone, or might have.
async::Task<void> waitUntilGone(zk::Coordinator &zk, zk::Path path, zk::SessionId owner)
{
    zk::Watch watch;
    const auto look = [&] { return zk.get(path, watch); };
    const Answer<zk::Node> node = co_await persist(zk, look);
    if (!node.ok() || node->stat.ephemeralOwner != owner)
        co_return;
    const async::Future<zk::WatchEvent> fired = watch.fired();
    co_await fired;
}

// A join() under way: when it is cancelled, a node that it may have made is deleted.
class UnfinishedJoin
{
public:
    UnfinishedJoin(zk::Coordinator &zk, zk::Path path) : m_zk(&zk), m_path(std::move(path)) { }
    UnfinishedJoin(const UnfinishedJoin &) = delete;
    UnfinishedJoin &operator=(const UnfinishedJoin &) = delete;
    ~UnfinishedJoin()
    {
        if (m_zk)
            m_zk->discardOwned(m_path);
    }

    Membership finish(zk::Zxid czxid)
    {
        zk::Coordinator &zk = *std::exchange(m_zk, nullptr);
        return Membership(zk, Fence{m_path, czxid, zk.sessionId()});
    }

private:
    QPointer<zk::Coordinator> m_zk;
    zk::Path m_path;
};

} // namespace

async::Task<Membership> Group::join(QByteArray id, QByteArray data)
{
    const zk::Path path = m_directory / id;
    const auto create = [&] { return m_zk.create(path, data, zk::CreateMode::Ephemeral); };
    const auto look = [&] { return m_zk.exists(path); };
    UnfinishedJoin joining(m_zk, path);
    for (;;) {
        const Answer<zk::Created> created = co_await persist(m_zk, create);
        if (created.ok())
            co_return joining.finish(created->stat.czxid);
        if (created.is(Code::NoNode)) {
            co_await m_zk.ensurePath(m_directory);
            continue;
        }
        if (!created.is(Code::NodeExists))
            created.require();
        const Answer<zk::Stat> present = co_await persist(m_zk, look);
        if (!present.ok())
            continue;
        if (present->ephemeralOwner == m_zk.sessionId())
            co_return joining.finish(present->czxid);
        co_await waitUntilGone(m_zk, path, present->ephemeralOwner);
    }
}

async::Task<QByteArrayList> Group::members()
{
    const auto list = [&] { return m_zk.children(m_directory); };
    const Answer<zk::Children> children = co_await persist(m_zk, list);
    QByteArrayList names = children->names;
    std::sort(names.begin(), names.end());
    co_return names;
}

} // namespace drover::recipes
