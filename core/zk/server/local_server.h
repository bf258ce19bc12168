#pragma once

#include "async/loop.h"
#include "async/task.h"
#include "zk/server/java_installation.h"
#include "zk/server/server_process.h"

#include <QString>
#include <QStringList>

#include <chrono>
#include <stdexcept>

namespace drover::zk {

struct LocalServerOptions {
    // For zoo.cfg, server.log, server.pid and data/; created if missing.
    QString directory;
    quint16 clientPort = 0; // 0: a free port, chosen once
    std::chrono::milliseconds tickTime{2000};
    std::chrono::milliseconds minSessionTimeout{0}; // 0: ZooKeeper's default, two ticks
    std::chrono::milliseconds maxSessionTimeout{0}; // 0: twenty ticks
    // How often the server removes empty containers and old TTL nodes.
    std::chrono::milliseconds containerCheckInterval{60'000};
    int snapCount = 100'000; // transactions between two snapshots
    bool fsync = true; // false: a power cut loses acknowledged writes
    // Whether it also answers the four-letter words that name sessions and watches (cons, wchp), to each client that
    // reaches it. That is for a server without users. The others answer srvr, mntr and conf, which Drover asks, and
    // ruok.
    bool namesSessions = false;
    int heapMegabytes = 512;
    // Java's first compiler alone: a server starts a fifth faster, but is slower under load. Use {} to measure one.
    QStringList jvmFlags = {QStringLiteral("-XX:TieredStopAtLevel=1")};
    QStringList extraConfig; // lines for zoo.cfg
    int id = 0; // myid in an ensemble, 0 = standalone
    Lifetime lifetime = Lifetime::WithStarter;
    std::chrono::milliseconds startLimit{60'000};
    std::chrono::milliseconds stopLimit{10'000}; // SIGKILL follows
    JavaInstallation installation;
};

// The server did not start or its directory is in use; the message quotes the end of its log.
class LocalServerError : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// A real ZooKeeper server as a process on this machine, for `drover up` and for tests. It listens on 127.0.0.1 only. It
// belongs to the thread that makes it, which needs a Qt loop; no call blocks longer than a fork takes. One operation at
// a time: a task must have ended before the next one begins.
class LocalServer
{
public:
    LocalServer(async::Loop &loop, LocalServerOptions options);
    LocalServer(const LocalServer &) = delete;
    LocalServer &operator=(const LocalServer &) = delete;
    // Kills the server, unless it is detached.
    ~LocalServer();

    // Returns once the server answers requests; at once if it runs already. A member of an ensemble answers only if a
    // majority of the ensemble runs. Throws NotInstalled and LocalServerError, and then leaves no server running.
    async::Task<void> start();

    // Sends SIGTERM, and SIGKILL when stopLimit has passed. Returns when the process is gone.
    async::Task<void> stop();

    // Sends SIGKILL, which simulates a crash. Returns when the process is gone.
    async::Task<void> kill9();

    // Calls stop() and start(); data and port stay.
    async::Task<void> restart();

    // Send SIGSTOP and SIGCONT. A paused server keeps its connections open and answers nothing. All its threads have
    // stopped when pause() ends.
    async::Task<void> pause();
    void resume();

    // Takes over the detached server that another program started in this directory; false if none runs there.
    bool adopt();

    // Throws LocalServerError if a server runs in this directory. ZooKeeper does not notice that two servers use the
    // same files, and they ruin them.
    static void requireNoneIn(const QString &directory);

    // The client port of the last server in this directory, which clients may have written down; 0: unknown.
    static quint16 lastPort(const QString &directory);

    bool running() const { return m_process.running(); }
    qint64 pid() const { return m_process.pid(); }
    quint16 port() const { return m_port; } // 0 before the first start, unless given
    QString connectString() const; // 127.0.0.1:port
    QString logFile() const;
    QString dataDirectory() const;
    const LocalServerOptions &options() const { return m_options; }

private:
    enum class StartResult { Serving, Exited, TimedOut };

    void prepare();
    void launch();
    async::Task<StartResult> served(async::TimePoint deadline);
    async::Task<bool> answers(std::chrono::milliseconds limit);
    async::Task<void> ended(std::chrono::milliseconds limit);
    QStringList arguments() const;
    QString configFile() const;
    QString pidFile() const;
    QByteArray config() const;
    QByteArray newLog() const;
    LocalServerError failure(const QString &what) const;
    QString reasonIn(const QByteArray &log) const;

    async::Loop &m_loop;
    LocalServerOptions m_options;
    ServerProcess m_process;
    quint16 m_port;
    bool m_hasServed = false;
    qint64 m_logStart = 0;
};

} // namespace drover::zk
