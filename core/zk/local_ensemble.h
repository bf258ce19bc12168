#pragma once

#include "zk/local_server.h"

#include <functional>
#include <memory>
#include <vector>

namespace drover::zk {

// Several LocalServers that replicate each other, in directories 1, 2, ... below options.directory, on free loopback
// ports. Thread and rules as LocalServer; a single server is killed, paused or restarted through server(i). A server
// serves only while a majority runs: to bring a majority back, call start(), which starts all that are down at once.
class LocalEnsemble
{
public:
    // The port by which server `from` reaches the quorum port of server `to`, its own port or that of a relay.
    using Route = std::function<quint16(int from, int to, quint16 port)>;

    // `common` holds for every server, except directory, clientPort and id. Its extraConfig overrides what the ensemble
    // sets. A later call of `route` replaces an earlier one for the same servers: the ports were taken.
    LocalEnsemble(async::Loop &loop, LocalServerOptions common, int size = 3, Route route = {});

    // Returns once every server serves and elected() has an answer. Throws as LocalServer::start(); no server of a
    // first start is left running then.
    async::Task<void> start();
    async::Task<void> stop();

    // Waits until exactly `members` servers serve, one of them as leader and the others as its followers; returns the
    // leader's index. A paused or dead server does not count. Throws LocalServerError after options.startLimit.
    async::Task<int> elected(int members);

    int size() const { return m_size; }
    LocalServer &server(int index) { return *m_servers.at(static_cast<size_t>(index)); } // after start()
    QString connectString() const; // of all servers, whether they run or not

private:
    void build();
    QStringList members(int seenFrom, const QList<quint16> &ports) const;
    async::Task<void> startAll();
    async::Task<QByteArray> modeOf(const LocalServer &server);

    async::Loop &m_loop;
    LocalServerOptions m_common;
    int m_size;
    Route m_route;
    std::vector<std::unique_ptr<LocalServer>> m_servers;
};

} // namespace drover::zk
