#pragma once

#include "zk/server/local_server.h"

#include <functional>
#include <memory>
#include <vector>

namespace drover::zk {

// Several LocalServers that replicate each other, on free loopback ports, in directories 1, 2, ... below
// options.directory. The rules of LocalServer for threads and calls apply. Kill, pause or restart a single server
// through server(i). A server serves only while a majority runs. To bring a majority back, call start(), which starts
// all stopped servers together.
//
// A server whose data was lost does not vote until it has the leader's (db.autocreate=false). Otherwise it could elect
// a leader that lacks acknowledged writes. Only servers of an ensemble without any data begin empty.
class LocalEnsemble
{
public:
    enum class Link { Quorum, Election }; // what a follower says to its leader, and what servers say to elect one

    // The port by which server `from` reaches such a port of server `to`: that port itself, or a relay's. A server
    // tells others its own election port, so one with a higher id may answer a connection to that port without the
    // route.
    using Route = std::function<quint16(Link link, int from, int to, quint16 port)>;

    // `common` applies to every server, except for directory and id. Its clientPort is that of the first server, and
    // the others have the ports after it. With 0 each has the port of its last start, if that is free. Its extraConfig
    // overrides the ensemble's settings. `route` may be called again for one link if the ports were taken; the later
    // call counts.
    LocalEnsemble(async::Loop &loop, LocalServerOptions common, int size = 3, Route route = {});

    // Returns once every server serves and elected() has an answer. Throws as LocalServer::start() does. If the first
    // start throws, no server is left running.
    async::Task<void> start();
    async::Task<void> stop();

    // Waits until exactly `members` servers serve, one as leader and the others as its followers. Returns the leader's
    // index. A paused or dead server does not count. Throws LocalServerError after options.startLimit.
    async::Task<int> elected(int members);

    int size() const { return m_size; }
    LocalServer &server(int index) { return *m_servers.at(static_cast<size_t>(index)); } // after start()
    QString connectString() const; // names all servers, also stopped ones
    QString directoryOf(int index) const; // also before start()

private:
    void build();
    QList<quint16> lastPorts() const;
    void letBeginEmpty() const;
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
