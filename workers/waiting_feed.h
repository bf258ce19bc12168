#pragma once

#include "async/first_failure.h"
#include "async/task_group.h"
#include "jobs/layout.h"
#include "zk/coordinator.h"

#include <QSet>

#include <functional>
#include <vector>

namespace drover::workers {

// The jobs of all queues that are the master's: those that wait, and arrays.
//
//     follow queues/
//     for each: follow the data of waiting/<queue>, which need not be there; now and when told, list the queue
//
// Plain jobs come and go without waking it. A listing takes the longer the more jobs a queue has; the next one waits
// several times as long, so that a stream of submits costs a fraction of the server's time, whatever the queue's size.
class WaitingFeed
{
public:
    // With every such entry of one queue; called from the loop, after each listing.
    using OnListed = std::function<void(const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries)>;

    WaitingFeed(zk::Coordinator &zk, jobs::Layout layout, OnListed onListed);

    // Until destroyed. Throws SessionLost, AccessDenied.
    async::Task<void> run();

    // Whether each queue has been listed since it is known.
    bool hasListedAll() const { return m_knowsQueues && m_unlisted.empty(); }

private:
    async::Task<void> follow(QByteArray queue);
    async::Task<void> listWhenTold(QByteArray queue, async::Event &told);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    OnListed m_onListed;
    QSet<QByteArray> m_queues;
    QSet<QByteArray> m_unlisted; // of these
    bool m_knowsQueues = false;
    async::FirstFailure m_failure;
    async::TaskGroup m_following; // last: destroyed first
};

} // namespace drover::workers
