#pragma once

#include "jobs/cluster/numbers.h"
#include "jobs/model/cluster.h"
#include "jobs/model/errors.h"

namespace drover::jobs {

// The cluster's settings, the JSON of its config node.
struct ClusterConfig {
    static constexpr qint64 DefaultQueueLimit = 50000;
    static constexpr qint64 DefaultDoneLimit = 20000;

    qint64 queueLimit = DefaultQueueLimit; // unfinished jobs in a queue
    // Final records kept in ZooKeeper. The master removes the oldest ones beyond that number once they are archived. If
    // the history fails and that many records wait for it, claims pause, unless the cluster drops the oldest then.
    qint64 doneLimit = DefaultDoneLimit;
    bool dropWhenAway = false;

    std::chrono::milliseconds historyKeep{}; // age at which the history drops jobs; 0: never
    qint64 historyLimit = 0; // finished jobs in the history; 0: no limit
    QString history; // the workers' default history::Location; empty: none

    friend bool operator==(const ClusterConfig &, const ClusterConfig &) = default;

    QByteArray encode() const;
    static ClusterConfig decode(const QByteArray &bytes); // throws Malformed
    template <class Fields, class Record>
    static void fields(Fields &each, Record &config);
};

// Creates the missing nodes of the cluster and of the queues. Safe to repeat, and to run in several processes at once.
async::Task<void> ensureCluster(Cluster cluster, QByteArrayList queues);

// Reads the settings; a missing or malformed setting has its default. Throws NotFound if the cluster does not exist;
// the message names the existing clusters.
async::Task<ClusterConfig> readClusterConfig(Cluster cluster);

// How many jobs a queue has had so far, by the Stat of its node.
inline qint64 submittedTo(const zk::Stat &queue)
{
    return numbersGiven(queue);
}

// More than these the master neither follows nor counts.
inline constexpr qsizetype MaxQueues = 1000;

// Names of the queues, sorted.
async::Task<QByteArrayList> queueNames(Cluster cluster);

// Throws NotFound for a queue that no worker has ever served; the message names the existing queues.
async::Task<void> requireQueue(Cluster cluster, QByteArray queue);

} // namespace drover::jobs
