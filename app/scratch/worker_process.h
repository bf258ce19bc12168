#pragma once

#include "jobs/model/cluster.h"
#include "zk/server/server_process.h"

#include <csignal>

namespace drover::app {

// A real `drover worker` as a child process: it dies with us, however we die, and its jobs with it.
class WorkerProcess
{
public:
    struct Options {
        QString connect;
        QByteArray cluster;
        QString id;
        int slotCount = 1;
        QString credentials = QStringLiteral("none"); // a file
        QString directory; // made if missing: spool and log live in it
        std::chrono::milliseconds sessionTimeout{0}; // 0: the worker's own choice
    };

    // Throws std::runtime_error.
    explicit WorkerProcess(Options options);

    const QString &id() const { return m_options.id; }
    qint64 pid() const { return m_process.pid(); }
    bool running() const { return m_process.running(); }
    void kill9() { m_process.signal(SIGKILL); }
    // Asks it to stop; the destructor kills.
    void terminate() { m_process.signal(SIGTERM); }

    // Resident memory of the process; 0 if it has gone.
    qint64 residentBytes() const;

    // Throws std::runtime_error, quoting its log, if it is not running.
    void requireRunning() const;

private:
    Options m_options;
    zk::ServerProcess m_process;
    QString m_log;
};

// Returns when the worker has joined the cluster. Throws std::runtime_error if it ends or takes too long.
async::Task<void> awaitJoined(jobs::Cluster cluster, const WorkerProcess &worker);

} // namespace drover::app
