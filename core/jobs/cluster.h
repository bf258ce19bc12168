#pragma once

#include "jobs/layout.h"
#include "jobs/records.h"
#include "zk/coordinator.h"

namespace drover::jobs {

// A request that makes sense but not here: no such cluster, queue or job; the message says what there is instead.
class NotFound : public std::runtime_error
{
public:
    explicit NotFound(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// The request does not fit the state: e.g. cancelling a job that has ended.
class WrongState : public std::runtime_error
{
public:
    explicit WrongState(const QString &what) : std::runtime_error(what.toStdString()) { }
};

class QueueFull : public std::runtime_error
{
public:
    explicit QueueFull(const QString &what) : std::runtime_error(what.toStdString()) { }
    QueueFull(const QByteArray &queue, qint64 limit);
};

// "queue default holds 50,000 unfinished jobs, its limit; drover cluster limits --queue-limit N raises it"
QString describeFull(const QByteArray &queue, qint64 limit);

// The cluster's settings, the JSON of its config node.
struct ClusterConfig {
    static constexpr qint64 DefaultQueueLimit = 50000;
    static constexpr qint64 DefaultDoneLimit = 20000;

    qint64 queueLimit = DefaultQueueLimit; // unfinished jobs a queue takes
    // Final records kept in ZooKeeper. The master removes the oldest beyond, but none that is still to be archived:
    // claims pause while so many of these wait for a history that fails, unless the oldest are to be dropped then.
    qint64 doneLimit = DefaultDoneLimit;
    bool dropWhenAway = false;

    std::chrono::milliseconds historyKeep{}; // finished jobs are removed from the history after so long; 0: never
    qint64 historyLimit = 0; // and the oldest beyond so many; 0: no limit
    QString history; // where workers archive that are not told where: a history::Location; empty: nowhere

    friend bool operator==(const ClusterConfig &, const ClusterConfig &) = default;

    QByteArray encode() const;
    static ClusterConfig decode(const QByteArray &bytes); // throws Malformed
};

// Makes the nodes of the cluster and of the queues that are missing. Safe to repeat and to run at the same time
// anywhere.
async::Task<void> ensureCluster(zk::Coordinator &zk, Layout layout, QByteArrayList queues);

// The settings; defaults where the node holds none or something malformed. Throws NotFound if there is no such cluster,
// naming those that are there.
async::Task<ClusterConfig> openCluster(zk::Coordinator &zk, Layout layout);

// How many jobs a queue, of which this is the Stat, has ever had: each changes its children when it comes, and when it
// goes.
inline qint64 submittedTo(const zk::Stat &queue)
{
    return (qint64(queue.cversion) + queue.numChildren) / 2;
}

// Names of the queues, sorted.
async::Task<QByteArrayList> queueNames(zk::Coordinator &zk, Layout layout);

// Throws NotFound for a queue that no worker has ever served, naming those that are there.
async::Task<void> requireQueue(zk::Coordinator &zk, Layout layout, QByteArray queue);

} // namespace drover::jobs
