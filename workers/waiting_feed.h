#pragma once

#include "async/first_failure.h"
#include "async/task_group.h"
#include "jobs/layout.h"
#include "workers/troubles.h"

#include <QSet>

#include <functional>
#include <map>
#include <vector>

namespace drover::workers {

// The jobs of all queues that are the master's: those that wait, and arrays.
//
//     follow queues/
//     for each: follow the data of waiting/<queue>, which need not be there; now and when told, list the queue
//
// Plain jobs come and go without waking it. A listing takes the longer the more jobs a queue has; the next one waits
// several times as long, so that a stream of submits costs a fraction of the server's time, whatever the queue's size.
//
// A queue that cannot be followed or listed, or cannot be watched any more, is a trouble of its own: it is listed every
// five seconds, as far as that is possible, and the others go on.
class WaitingFeed
{
public:
    // With every such entry of one queue; called from the loop, after each listing.
    using OnListed = std::function<void(const QByteArray &queue, const std::vector<jobs::QueueEntry> &entries)>;

    // `troubles` outlives it.
    WaitingFeed(zk::Coordinator &zk, jobs::Layout layout, Troubles &troubles, OnListed onListed);

    // Until destroyed. Throws SessionLost.
    async::Task<void> run();

    // All queues are to be listed once more: who is told knows nothing.
    void listAgain();

    // Whether each queue has been listed since it is known, or cannot be.
    bool hasListedAll() const { return m_knowsQueues && m_unlisted.empty(); }

private:
    async::Task<void> followQueues();
    async::Task<void> keepFollowing(QByteArray queue);
    async::Task<void> follow(QByteArray queue);
    async::Task<void> listWhenTold(QByteArray queue);
    async::Task<void> list(QByteArray queue);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    Troubles &m_troubles;
    OnListed m_onListed;
    std::map<QByteArray, async::Event> m_queues; // to be listed
    QSet<QByteArray> m_unlisted; // of these
    bool m_knowsQueues = false;
    async::FirstFailure m_failure;
    async::TaskGroup m_following; // last: destroyed first
};

} // namespace drover::workers
