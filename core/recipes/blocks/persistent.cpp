#include "recipes/blocks/persistent.h"

namespace drover::recipes {

using zk::Answer;

namespace {

// Owns what it sends: the caller's arguments need not outlive the call. A sync goes ahead of its read in the same
// flight, and both answers are awaited: a connection that breaks may take the sync alone, and the read to another
// server.
template <typename T, typename Send>
async::Task<Answer<T>> repeat(zk::Client &zk, std::optional<zk::Path> synced, Send send)
{
    for (;;) {
        try {
            std::optional<zk::Reply<zk::Nothing>> syncing;
            if (synced)
                syncing.emplace(zk.sync(*synced));
            const zk::Reply<T> reply = send();
            if (syncing)
                co_await *syncing;
            co_return co_await reply;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

} // namespace

Persistent Persistent::afterSync(zk::Path path) const
{
    Persistent persistent(m_zk);
    persistent.m_synced = std::move(path);
    return persistent;
}

async::Task<Answer<zk::Stat>> Persistent::exists(zk::Path path) const
{
    return repeat<zk::Stat>(m_zk, m_synced, [&zk = m_zk, path] { return zk.exists(path); });
}

async::Task<Answer<zk::Stat>> Persistent::exists(zk::Path path, zk::Watch &watch) const
{
    return repeat<zk::Stat>(m_zk, m_synced, [&zk = m_zk, &watch, path] { return zk.exists(path, watch); });
}

async::Task<Answer<zk::Node>> Persistent::get(zk::Path path) const
{
    return repeat<zk::Node>(m_zk, m_synced, [&zk = m_zk, path] { return zk.get(path); });
}

async::Task<Answer<zk::Node>> Persistent::get(zk::Path path, zk::Watch &watch) const
{
    return repeat<zk::Node>(m_zk, m_synced, [&zk = m_zk, &watch, path] { return zk.get(path, watch); });
}

async::Task<Answer<zk::Children>> Persistent::children(zk::Path path) const
{
    return repeat<zk::Children>(m_zk, m_synced, [&zk = m_zk, path] { return zk.children(path); });
}

async::Task<Answer<zk::Children>> Persistent::children(zk::Path path, zk::Watch &watch) const
{
    return repeat<zk::Children>(m_zk, m_synced, [&zk = m_zk, &watch, path] { return zk.children(path, watch); });
}

async::Task<Answer<zk::Nothing>> Persistent::sync(zk::Path path) const
{
    return repeat<zk::Nothing>(m_zk, m_synced, [&zk = m_zk, path] { return zk.sync(path); });
}

async::Task<Answer<zk::Created>> Persistent::create(zk::Path path, QByteArray data, zk::CreateMode mode) const
{
    return repeat<zk::Created>(m_zk, m_synced, [&zk = m_zk, path, data, mode] { return zk.create(path, data, mode); });
}

async::Task<Answer<zk::Nothing>> Persistent::remove(zk::Path path, qint32 version) const
{
    return repeat<zk::Nothing>(m_zk, m_synced, [&zk = m_zk, path, version] { return zk.remove(path, version); });
}

async::Task<Answer<zk::Stat>> Persistent::set(zk::Path path, QByteArray data, qint32 version) const
{
    return repeat<zk::Stat>(m_zk, m_synced, [&zk = m_zk, path, data, version] { return zk.set(path, data, version); });
}

async::Task<Answer<zk::Committed>> Persistent::commit(zk::Transaction transaction) const
{
    return repeat<zk::Committed>(m_zk, m_synced, [&zk = m_zk, transaction] { return zk.commit(transaction); });
}

} // namespace drover::recipes
