#pragma once

#include "workers/capacity.h"
#include "workers/spool_sweeper.h"

#include <QByteArrayList>
#include <QString>

namespace drover::history {
class History;
}

namespace drover::workers {

class OutputServer;

struct WorkerOptions {
    QString id; // unique in the cluster while it lives; jobs::isValidName
    QByteArrayList queues{QByteArrayLiteral("default")};
    int slotCount = 1; // jobs run at a time, if each takes one
    qint64 memory = Capacity::memoryOfMachine(); // bytes for the jobs that say how much they need
    QStringList labels; // what jobs may ask for
    QString spool; // directory for the output of jobs
    SpoolLimits spoolLimits; // what of it is removed
    // Lets others read the spool, once the cluster's key is known; outlives the worker.
    OutputServer *outputServer = nullptr;
    QString outputEndpoint; // "host:port" by which they reach it
    history::History *history = nullptr; // for what has ended, kept when this worker is master; outlives the worker
    QList<QByteArray> jobEnvironment; // "NAME=value" that every job gets besides its own
};

} // namespace drover::workers
