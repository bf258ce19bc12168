#pragma once

#include "jobs/event.h"

#include <QSet>

#include <functional>
#include <memory>

namespace drover::jobs {

// What the children of one directory mean, to EventFeed.
class EventSource
{
public:
    using Tell = std::function<void(Event event)>;

    EventSource(zk::Path place, Tell onEvent) : path(std::move(place)), tell(std::move(onEvent)) { }
    virtual ~EventSource() = default;

    // `first`: it was there at the beginning. What is true for more than its event is noted either way.
    virtual void come(const QByteArray &name, const zk::Node &node, bool first) = 0;
    // Nodes that tell why it has gone, and which of these are there. It has gone with `upTo`, or before.
    virtual std::vector<zk::Path> tracesOf(const QByteArray &name) const
    {
        Q_UNUSED(name)
        return {};
    }
    virtual void gone(const QByteArray &name, const std::vector<bool> &traces, zk::Zxid upTo)
    {
        Q_UNUSED(name)
        Q_UNUSED(traces)
        Q_UNUSED(upTo)
    }
    // After all that has come and gone.
    virtual void looked(bool first, zk::Zxid upTo)
    {
        Q_UNUSED(first)
        Q_UNUSED(upTo)
    }

    const zk::Path path;

protected:
    const Tell tell;
};

// Which claimed jobs may have to wait at their worker: those that need more than a slot, and those of queues with a
// limit.
struct Demanding {
    QSet<JobId> jobs;
    QSet<QByteArray> queues;

    bool has(const JobId &job) const { return jobs.contains(job) || queues.contains(job.queue); }
};

// `onWaiting` hears of each claim that may be waiting, with its Claimed event, which has been told.
std::unique_ptr<EventSource> queueSource(const Layout &layout, const QByteArray &queue, Demanding &demanding,
                                         EventSource::Tell tell);
std::unique_ptr<EventSource> claimSource(const Layout &layout, const Demanding &demanding, EventSource::Tell tell,
                                         EventSource::Tell onWaiting);
std::unique_ptr<EventSource> doneSource(const Layout &layout, EventSource::Tell tell);
std::unique_ptr<EventSource> memberSource(const Layout &layout, EventSource::Tell tell);
std::unique_ptr<EventSource> cordonSource(const Layout &layout, EventSource::Tell tell);
std::unique_ptr<EventSource> masterSource(const Layout &layout, EventSource::Tell tell);

} // namespace drover::jobs
