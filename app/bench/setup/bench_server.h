#pragma once

#include "app/bench/relay/delay_relay.h"
#include "zk/client/session.h"
#include "zk/server/local_server.h"

#include <QTemporaryDir>

#include <chrono>
#include <optional>

namespace drover::app {

// The servers that a benchmark is given; without any it starts its own.
struct GivenServers {
    QString connect{}; // empty: none
    std::chrono::milliseconds connectTimeout = std::chrono::seconds(15); // for the first answer, also of its own server
};

// A unique name for the nodes of this process on a shared server.
QByteArray scratchName();

// The ZooKeeper of a benchmark: the given servers, or a private server that fsyncs, in a temporary directory. The
// private server ends with this object.
class BenchServer
{
public:
    BenchServer(async::Loop &loop, GivenServers given);

    // Throws zk::NotInstalled, zk::LocalServerError.
    async::Task<void> start();
    async::Task<void> stop();

    async::Loop &loop() const { return m_loop; }
    bool isPrivate() const { return m_private.has_value(); }
    QString connectString() const { return m_private ? m_private->connectString() : m_given.connect; }

    // Makes later sessions of open() connect through a relay that injects this round trip; 0: none. Throws UsageError
    // unless the server is a single one on 127.0.0.1, because the relay works only there.
    void injectRoundTrip(std::chrono::nanoseconds roundTrip);

    // The address for sessions: the relay's, if there is one.
    QString address() const;

    // Of later sessions of open(). By default that of the environment.
    void setAccess(zk::Access access) { m_access = std::move(access); }

    // A connected session. Throws CommandError: Unreachable if no server answers in time, Denied if the given servers
    // let it make no node of scratchName().
    async::Task<std::unique_ptr<zk::Session>> open();

private:
    async::Task<void> requireRoom(zk::Session &session);

    async::Loop &m_loop;
    GivenServers m_given;
    bool m_hasRoom = false; // for the benchmark's nodes, on given servers
    zk::Access m_access = zk::Access::fromEnvironment();
    QTemporaryDir m_directory;
    std::optional<zk::LocalServer> m_private;
    std::unique_ptr<app::DelayRelay> m_relay;
};

} // namespace drover::app
