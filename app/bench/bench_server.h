#pragma once

#include "net/delay_relay.h"
#include "zk/local_server.h"
#include "zk/session.h"

#include <QTemporaryDir>

#include <optional>

namespace drover::app {

// The ZooKeeper that a benchmark runs on: the servers it was given, or a private one that fsyncs, in a temporary
// directory, gone with this object.
class BenchServer
{
public:
    // `connect`: servers; empty for a private one.
    BenchServer(async::Loop &loop, QString connect);

    // Throws zk::NotInstalled, zk::LocalServerError.
    async::Task<void> start();
    async::Task<void> stop();

    async::Loop &loop() const { return m_loop; }
    bool isPrivate() const { return m_private.has_value(); }
    QString connectString() const;

    // From now on sessions of open() go through a relay that injects this round trip; 0: none. Throws
    // UsageError if the servers are not one on 127.0.0.1, where the relay works.
    void injectRoundTrip(std::chrono::nanoseconds roundTrip);

    // Where those sessions connect to: the relay, if there is one.
    QString address() const;

    // A connected session. Throws CommandError (Unreachable).
    async::Task<std::unique_ptr<zk::Session>> open();

private:
    async::Loop &m_loop;
    QString m_connect;
    QTemporaryDir m_directory;
    std::optional<zk::LocalServer> m_private;
    std::unique_ptr<net::DelayRelay> m_relay;
};

} // namespace drover::app
