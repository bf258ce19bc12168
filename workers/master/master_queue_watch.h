#pragma once

#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "workers/master/base/troubles.h"

#include <QSet>

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace drover::workers {

// Follows the jobs of all queues that are the master's: those that wait, and arrays.
//
//     follow queues/
//     for each: follow the data of waiting/<queue>, which need not exist; list the queue now and after each change
//
// Plain jobs come and go without waking it. A listing takes the longer the more jobs a queue has, and the pause after
// it is several times as long. So a stream of submits costs a fraction of the server's time, whatever the queue's size.
//
// A queue that cannot be followed, listed or watched is a trouble of its own. It is listed every five seconds, as far
// as that is possible, and the other queues go on. A node costs its writer nothing and the master two coroutines and a
// watch, so it follows MaxQueues. If there are more, that is a trouble. Nodes whose names are not those of queues count
// as nothing.
class MasterQueueWatch
{
public:
    // Receives all such entries of one queue; called from the loop, after each listing.
    using OnListed = std::function<void(const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries)>;

    // `troubles` outlives it.
    MasterQueueWatch(jobs::Cluster cluster, Troubles &troubles, OnListed onListed);

    // Runs until destroyed. Throws SessionLost.
    async::Task<void> run();

    // Lists all queues once more, for a receiver that is new.
    void listAgain();

    // True once each known queue has been listed or has turned out to be inaccessible.
    bool hasListedAll() const { return m_knowsQueues && m_unlisted.empty(); }

private:
    struct Queue {
        async::Event toList;
        async::Event gone;
    };
    using QueuePtr = std::shared_ptr<Queue>;

    async::Task<void> followQueues();
    void takeNames(QByteArrayList names);
    void forgetOthers(const QSet<QByteArray> &present);
    async::Task<void> watchQueue(QByteArray name, QueuePtr queue);
    async::Task<void> follow(QByteArray name, QueuePtr queue);
    async::Task<void> listWhenTold(QByteArray name, QueuePtr queue);
    async::Task<void> list(QByteArray queue);

    jobs::Cluster m_cluster;
    Troubles &m_troubles;
    OnListed m_onListed;
    std::map<QByteArray, QueuePtr> m_queues; // all that it follows
    QSet<QByteArray> m_unlisted; // queues that were not listed yet
    bool m_knowsQueues = false;
    async::FirstFailure m_failure;
    async::TaskGroup m_following; // last: destroyed first
};

} // namespace drover::workers
