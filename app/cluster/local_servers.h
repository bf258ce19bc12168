#pragma once

#include "async/task_group.h"
#include "zk/server/local_ensemble.h"

#include <optional>

namespace drover::app {

// The ZooKeeper servers of `drover up`, all on this machine: a single one, or an ensemble. The servers of an ensemble
// prove to each other that they know a secret, which is made anew for each start. Without it another user of the
// machine could join the ensemble, and read and change everything.
class LocalServers
{
public:
    static constexpr int Most = 5;

    // How many servers have their data in this folder; nothing if it is new. Throws CommandError.
    static std::optional<int> countIn(const QString &folder);

    // `count` must be what countIn() says, unless the folder is new. `port` is the client port of the first server, and
    // the others have the ports after it. 0: the ports of the last start, or free ones.
    LocalServers(async::Loop &loop, QString folder, int count, quint16 port);

    // Returns when all serve. Throws zk::NotInstalled, zk::LocalServerError, CommandError.
    async::Task<void> start();
    // From now on starts each server again that ends, after a pause of 0.5 s. It doubles up to 5 s while the server
    // does not start.
    void keepRunning();
    async::Task<void> stop();

    // Names all servers.
    QString connectString() const { return m_ensemble ? m_ensemble->connectString() : m_single->connectString(); }

private:
    zk::LocalServer &server(int index) { return m_ensemble ? m_ensemble->server(index) : *m_single; }
    void makeEnsembleFiles() const;
    async::Task<void> keepServer(int index);

    async::Loop &m_loop;
    QString m_folder;
    int m_count;
    std::optional<zk::LocalServer> m_single; // one of these
    std::optional<zk::LocalEnsemble> m_ensemble;
    async::TaskGroup m_tasks;
};

} // namespace drover::app
