#pragma once

#include "jobs/events/event.h"

#include <QSet>

#include <functional>
#include <memory>

namespace drover::jobs {

// Makes events for EventFeed from the children of one directory.
class EventSource
{
public:
    using Tell = std::function<void(Event event)>;

    EventSource(zk::Path node, Tell onEvent) : path(std::move(node)), tell(std::move(onEvent)) { }
    virtual ~EventSource() = default;

    // A node was created. `first`: it existed at the beginning, so it causes no event; its state is remembered all the
    // same.
    virtual void appeared(const QByteArray &name, const zk::Node &node, bool first) = 0;
    // A node was deleted, by the transaction `upTo` or an earlier one. evidencePaths() names the nodes that show why.
    // disappeared() gets whether each of them exists.
    virtual std::vector<zk::Path> evidencePaths(const QByteArray &name) const
    {
        Q_UNUSED(name)
        return {};
    }
    virtual void disappeared(const QByteArray &name, const std::vector<bool> &evidence, zk::Zxid upTo)
    {
        Q_UNUSED(name)
        Q_UNUSED(evidence)
        Q_UNUSED(upTo)
    }
    // Whether a node that has gone and come again between two reads is to be found. That costs a read of each node that
    // is there. disappeared() is called for it, then appeared().
    virtual bool tellsReturns() const { return false; }
    // Called after all created and deleted nodes of one read.
    virtual void readDone(bool first, zk::Zxid upTo)
    {
        Q_UNUSED(first)
        Q_UNUSED(upTo)
    }

    const zk::Path path;

protected:
    const Tell tell;
};

// The claimed jobs that may have to wait at their worker: jobs that need more than a slot, and jobs of queues with a
// limit.
struct PossibleWaiters {
    QSet<JobId> jobs;
    QSet<QByteArray> queues;

    bool has(const JobId &job) const { return jobs.contains(job) || queues.contains(job.queue); }
};

// `onWaiting` is called with each claim that may be waiting, and with its Claimed event, which has been reported.
// `onPresent` is called with each claim that existed at the beginning.
std::unique_ptr<EventSource> queueSource(const Layout &layout, const QByteArray &queue,
                                         PossibleWaiters &possibleWaiters, EventSource::Tell tell);
std::unique_ptr<EventSource> claimSource(const Layout &layout, const PossibleWaiters &possibleWaiters,
                                         EventSource::Tell tell, EventSource::Tell onWaiting,
                                         EventSource::Tell onPresent);
std::unique_ptr<EventSource> doneSource(const Layout &layout, EventSource::Tell tell);
std::unique_ptr<EventSource> memberSource(const Layout &layout, EventSource::Tell tell);
std::unique_ptr<EventSource> cordonSource(const Layout &layout, EventSource::Tell tell);
std::unique_ptr<EventSource> masterSource(const Layout &layout, EventSource::Tell tell);

} // namespace drover::jobs
