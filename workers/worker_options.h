#pragma once

#include <QByteArrayList>
#include <QString>

namespace drover::history {
class History;
}

namespace drover::workers {

struct WorkerOptions {
    QString id; // unique in the cluster while it lives; jobs::isValidName
    QByteArrayList queues{QByteArrayLiteral("default")};
    int slotCount = 1; // jobs run at a time
    QString spool; // directory for the output of jobs
    history::History *history = nullptr; // for what has ended, kept when this worker is master; outlives the worker
    QList<QByteArray> jobEnvironment; // "NAME=value" that every job gets besides its own
};

} // namespace drover::workers
