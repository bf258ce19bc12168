#pragma once

#include "async/qt_loop.h"
#include "zk/server/local_ensemble.h"
#include "zk/server/local_server.h"

#include <QTemporaryDir>

namespace drover::test {

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
    void restart(); // with its data and port, after it has ended in any way
    void pause();
    void resume() { m_server.resume(); }

    // The server's answer to a four letter word.
    QByteArray ask(const QByteArray &word);
    // How many watches of all kinds it holds; -1 if it does not say.
    int watches();

    QString connectString() const { return m_server.connectString(); }
    quint16 port() const { return m_server.port(); }
    zk::LocalServer &server() { return m_server; }

private:
    QTemporaryDir m_directory;
    async::QtLoop m_loop;
    zk::LocalServer m_server;
};

// Three servers that replicate each other, each as a TestServer.
class TestEnsemble
{
public:
    explicit TestEnsemble(zk::LocalServerOptions options = testServerOptions(), int size = 3);

    void start(); // all that are down
    void stop();
    void kill9(int index);
    void restart(int index);
    void pause(int index);
    void resume(int index) { m_ensemble.server(index).resume(); }

    QByteArray ask(int index, const QByteArray &word);

    // Waits until `members` servers serve, one as leader; returns its index.
    int elected(int members);

    QString connectString() const { return m_ensemble.connectString(); }
    zk::LocalEnsemble &ensemble() { return m_ensemble; }

private:
    QTemporaryDir m_directory;
    async::QtLoop m_loop;
    zk::LocalEnsemble m_ensemble;
};

} // namespace drover::test
