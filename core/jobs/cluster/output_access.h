#pragma once

#include "jobs/model/cluster.h"

#include <optional>

namespace drover::jobs {

// Where the output of a worker's jobs is read, and the secret by which the worker and its readers know each other: 32
// random bytes. A worker makes them anew for each of its sessions. So a leaked key lasts no longer than that session,
// and no worker has the key of another.
struct OutputAccess {
    QString endpoint; // "host:port"
    QByteArray key;

    static QByteArray newKey();

    QByteArray encode() const;
    static OutputAccess decode(const QByteArray &bytes); // throws Malformed, also for another length of the key
};

// Makes the worker's node below outputs(), which lives as long as the session. Call it once the worker has joined: then
// no other session has the id. Returns false if a node of another client is there, which the worker has to leave alone.
// Waits out lost connections, and throws SessionLost.
async::Task<bool> publishOutputAccess(Cluster cluster, QByteArray worker, OutputAccess access);

} // namespace drover::jobs
