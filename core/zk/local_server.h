#pragma once

#include "async/loop.h"
#include "async/task.h"
#include "zk/java_installation.h"
#include "zk/server_process.h"

#include <QString>
#include <QStringList>

#include <chrono>
#include <stdexcept>

namespace drover::zk {

struct LocalServerOptions {
    QString directory; // made if missing: zoo.cfg, server.log, server.pid and data/ live in it
    quint16 clientPort = 0; // 0: a free one, kept from then on
    std::chrono::milliseconds tickTime{2000};
    std::chrono::milliseconds minSessionTimeout{0}; // 0: two ticks, as ZooKeeper has it
    std::chrono::milliseconds maxSessionTimeout{0}; // 0: twenty ticks
    std::chrono::milliseconds containerCheckInterval{
        60'000}; // how often empty containers and old TTL nodes are removed
    int snapCount = 100'000; // transactions between two snapshots
    bool fsync = true; // false: faster, and a power cut loses acknowledged writes (a killed server does not)
    int heapMegabytes = 512;
    // C1 alone starts a fifth faster and is slower under load; give {} for a server that is to be measured.
    QStringList jvmFlags = {QStringLiteral("-XX:TieredStopAtLevel=1")};
    QStringList extraConfig; // lines for zoo.cfg
    int id = 0; // myid in an ensemble, 0 = standalone
    Lifetime lifetime = Lifetime::WithStarter;
    std::chrono::milliseconds startLimit{60'000};
    std::chrono::milliseconds stopLimit{10'000}; // then SIGKILL
    JavaInstallation installation;
};

// The server did not start or its directory is in use; the message quotes the end of its log.
class LocalServerError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// A real ZooKeeper server as a process on this machine, reachable from this machine alone (127.0.0.1), for `drover up`
// and for tests. Runs on the Qt loop of the thread that makes it and never blocks it longer than a fork takes. One
// operation at a time: a task must have ended before the next is begun.
class LocalServer
{
public:
    LocalServer(async::Loop &loop, LocalServerOptions options);
    LocalServer(const LocalServer &) = delete;
    LocalServer &operator=(const LocalServer &) = delete;
    // Kills the server, unless it is detached.
    ~LocalServer();

    // Returns once the server answers requests; at once if it runs already. A member of an ensemble answers only when
    // a majority of it runs. Throws NotInstalled, LocalServerError; no server is left running then.
    async::Task<void> start();

    // SIGTERM, and SIGKILL when stopLimit has passed. Returns when the process is gone.
    async::Task<void> stop();

    // The crash: SIGKILL. Returns when the process is gone.
    async::Task<void> kill9();

    // stop() and start() on the same data and port.
    async::Task<void> restart();

    // SIGSTOP and SIGCONT: connections stay open, nothing is answered. A pause has taken hold when the task ends.
    async::Task<void> pause();
    void resume();

    // Takes over the detached server that another program started in this directory; false if none runs there.
    bool adopt();

    bool running() const { return m_process.running(); }
    qint64 pid() const { return m_process.pid(); }
    quint16 port() const { return m_port; } // 0 before the first start, unless given
    QString connectString() const; // 127.0.0.1:port
    QString logFile() const;
    const LocalServerOptions &options() const { return m_options; }

private:
    enum class Outcome { Serving, Exited, TimedOut };

    void prepare();
    void launch();
    async::Task<Outcome> served(async::TimePoint deadline);
    async::Task<bool> answers(std::chrono::milliseconds limit);
    async::Task<void> ended(std::chrono::milliseconds limit);
    QStringList arguments() const;
    QString configFile() const;
    QString pidFile() const;
    QString dataDirectory() const;
    QByteArray config() const;
    QByteArray newLog() const;
    LocalServerError failure(const QString &what) const;

    async::Loop &m_loop;
    LocalServerOptions m_options;
    ServerProcess m_process;
    quint16 m_port;
    bool m_hasServed = false;
    qint64 m_logStart = 0;
};

} // namespace drover::zk
