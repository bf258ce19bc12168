#pragma once

#include "app/doctor/finding.h"
#include "zk/client/connect_string.h"

#include <QByteArray>

#include <chrono>
#include <map>
#include <vector>

namespace drover::app {

// The files of one server of a new ensemble.
struct PreparedServer {
    zk::ServerAddress address; // of its clients
    QString folder; // its host's name
    std::map<QString, QByteArray> files; // by their names: zoo.cfg, and in an ensemble myid and initialize
};

struct PreparedEnsemble {
    std::vector<PreparedServer> servers;
    Findings warnings; // of checkServerConfigs(); an even number of servers is an example
};

// Writes nothing. Each server keeps its data in `dataDir`, and has the settings of zk/server/server_settings.h. The
// server of a loopback address serves this machine alone. Throws UsageError for names that are no hosts, a host that is
// there twice, and whatever checkServerConfigs() calls a problem. `sessionTimeout` is what the workers ask for.
PreparedEnsemble prepareEnsemble(const zk::ServerList &servers, const QString &dataDir,
                                 std::chrono::milliseconds sessionTimeout);

} // namespace drover::app
