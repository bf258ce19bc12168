#pragma once

#include "async/qt_loop.h"
#include "zk/local_server.h"

#include <QTemporaryDir>

namespace drover::test
{

// Options for tests: half-second ticks (sessions of one second are possible), no fsync, small.
zk::LocalServerOptions testServerOptions();

// A real ZooKeeper server in a temporary directory on a free loopback port; gone when the fixture is. Every call runs a
// local event loop until the thing is done, so a test reads from top to bottom; each throws what LocalServer throws.
//
//     TestServer server;
//     server.start();
//     Session session(loop, server.connectString());
class TestServer
{
public:
    explicit TestServer(zk::LocalServerOptions options = testServerOptions());

    void start();
    void stop();
    void kill9();
    void restart(); // the same data and port, after whatever ended it
    void pause() { m_server.pause(); }
    void resume() { m_server.resume(); }

    // The server's answer to a four letter word.
    QByteArray ask(const QByteArray &word);

    QString connectString() const { return m_server.connectString(); }
    quint16 port() const { return m_server.port(); }
    zk::LocalServer &server() { return m_server; }

private:
    QTemporaryDir m_directory;
    async::QtLoop m_loop;
    zk::LocalServer m_server;
};

} // namespace drover::test
