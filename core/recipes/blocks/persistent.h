#pragma once

#include "zk/client.h"

#include <optional>

namespace drover::recipes {

// The operations of a session, each repeated until a server has answered. They wait out lost connections, and up to a
// second if the server was overloaded. SessionLost and failures such as AccessDenied are thrown. A write may be carried
// out twice, so use it only for writes that can be repeated:
//
//     const Answer<zk::Node> node = co_await Persistent(zk).get(path);
//
// The session and the watch outlive the task.
class Persistent
{
public:
    explicit Persistent(zk::Client &zk) : m_zk(zk) { }

    // Sends a sync of `path` before each read. The answer shows all that was committed before the read was sent, also
    // after a failover to a server that lags.
    Persistent afterSync(zk::Path path) const;

    async::Task<zk::Answer<zk::Stat>> exists(zk::Path path) const;
    async::Task<zk::Answer<zk::Stat>> exists(zk::Path path, zk::Watch &watch) const;
    async::Task<zk::Answer<zk::Node>> get(zk::Path path) const;
    async::Task<zk::Answer<zk::Node>> get(zk::Path path, zk::Watch &watch) const;
    async::Task<zk::Answer<zk::Children>> children(zk::Path path) const;
    async::Task<zk::Answer<zk::Children>> children(zk::Path path, zk::Watch &watch) const;
    async::Task<zk::Answer<zk::Nothing>> sync(zk::Path path) const;

    async::Task<zk::Answer<zk::Created>> create(zk::Path path, QByteArray data,
                                                zk::CreateMode mode = zk::CreateMode::Persistent) const;
    async::Task<zk::Answer<zk::Nothing>> remove(zk::Path path, qint32 version = zk::AnyVersion) const;
    async::Task<zk::Answer<zk::Stat>> set(zk::Path path, QByteArray data, qint32 version = zk::AnyVersion) const;
    async::Task<zk::Answer<zk::Committed>> commit(zk::Transaction transaction) const;

private:
    zk::Client &m_zk;
    std::optional<zk::Path> m_synced = std::nullopt;
};

} // namespace drover::recipes
