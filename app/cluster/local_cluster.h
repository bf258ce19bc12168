#pragma once

#include "app/cluster/local_servers.h"
#include "app/environment/child_process.h"
#include "app/environment/context.h"
#include "app/environment/local_trust.h"
#include "async/task_group.h"

namespace drover::app {

struct LocalClusterOptions {
    int workers = 3;
    int slotsPerWorker = 1;
    int servers = 1; // as LocalServers::countIn() says, unless there is none
    quint16 port = 0; // 0: free ports
    QByteArray cluster = QByteArrayLiteral("default");
    QString history; // for the workers; empty: no history
    bool open = false; // whether clients need no credentials
    bool allowSetuid = false; // jobs may gain privileges
};

// Runs ZooKeeper servers and workers on this machine. A process that ends is started again, after a pause that grows
// while it keeps ending. The processes end with this object, and with this process even if it is killed.
class LocalCluster
{
public:
    LocalCluster(async::Loop &loop, LocalClusterOptions options);
    ~LocalCluster();

    // Returns when ZooKeeper answers, and the cluster is closed unless it is to be open. Throws zk::NotInstalled,
    // zk::LocalServerError, CommandError.
    async::Task<void> startServers();
    // Starts the workers and keeps everything alive until destroyed or stop().
    void startWorkers();
    // The index of a worker that has ended five times in a row, each time within 30 s of its start; nothing: none has.
    std::optional<int> failingWorker() const;
    // Why a worker does not join: the last line of its log since startWorkers(), or else how it ended.
    QString reasonOf(int worker) const;
    // Stops the workers, and then ZooKeeper. The workers have 25 s to give back their jobs. Then it asks again, and
    // waits 5 s more.
    async::Task<void> stop();

    QString connectString() const { return m_servers.connectString(); }
    // The credentials of this process's sessions with the cluster. Call it once the servers have started.
    zk::Access access() const;
    static QString serversFolder(); // with the data of the servers
    static QString workerId(int index) { return QStringLiteral("up-%1").arg(index + 1); }
    static QString logFile(int index);
    // The value of DROVER_HISTORY that tells another process to use this history; "none" if `history` is empty.
    static QByteArray historyVariable(const QString &history);

private:
    async::Task<void> makeOpen(zk::Client &session) const;
    async::Task<void> stopWorkers(async::Duration limit);
    void tellWhoIsAwaited() const;
    async::Task<void> keepWorker(int index);

    async::Loop &m_loop;
    LocalClusterOptions m_options;
    bool m_stopping = false;
    LocalServers m_servers;
    std::optional<LocalTrust> m_trust; // nothing: an open cluster
    QString m_jobCredentials; // the file; empty: the jobs have none
    std::vector<std::unique_ptr<ChildProcess>> m_workers;
    struct WorkerEnds {
        int quick = 0; // one after the other
        QString last{}; // how it ended
        qint64 logBegin = 0; // bytes of its log that are of earlier starts
    };
    std::vector<WorkerEnds> m_ends; // of each worker
    async::TaskGroup m_tasks;
};

// The last line in the file `log` after its first `from` bytes, without the "drover: " at its start. Empty if there is
// none, or the file cannot be read.
QString lastLine(const QString &log, qint64 from);

} // namespace drover::app
