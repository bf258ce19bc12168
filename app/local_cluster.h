#pragma once

#include "app/child_process.h"
#include "app/context.h"
#include "async/task_group.h"
#include "zk/local_server.h"

namespace drover::app {

struct LocalClusterOptions {
    int workers = 3;
    int slotsPerWorker = 1;
    quint16 port = 0; // 0: a free one
    QByteArray cluster = QByteArrayLiteral("default");
    QString history; // for the workers; empty: none
};

// A ZooKeeper server and workers on this machine, kept alive: whatever ends is started again, after a pause that grows
// as long as it keeps ending. The processes end with this object, and with this process however that ends.
class LocalCluster
{
public:
    LocalCluster(async::Loop &loop, LocalClusterOptions options);
    ~LocalCluster();

    // Returns when ZooKeeper answers. Throws zk::NotInstalled, zk::LocalServerError, CommandError.
    async::Task<void> startServer();
    // Starts the workers and keeps everything alive until destroyed or stop().
    void startWorkers();
    // In order: the workers get time to give back their jobs, then ZooKeeper ends.
    async::Task<void> stop();

    QString connectString() const { return m_server.connectString(); }
    const zk::LocalServer &server() const { return m_server; }
    static QString workerId(int index) { return QStringLiteral("up-%1").arg(index + 1); }
    static QString logFile(int index);
    // The value of DROVER_HISTORY that says the same to other processes.
    static QByteArray historyVariable(const QString &history);

private:
    async::Task<void> stopWorkers(async::Duration limit);
    async::Task<void> keepServer();
    async::Task<void> keepWorker(int index);

    async::Loop &m_loop;
    LocalClusterOptions m_options;
    bool m_stopping = false;
    zk::LocalServer m_server;
    std::vector<std::unique_ptr<ChildProcess>> m_workers;
    async::TaskGroup m_tasks;
};

} // namespace drover::app
