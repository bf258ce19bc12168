#pragma once

#include "async/first_failure.h"
#include "async/task_group.h"
#include "jobs/event_sources.h"
#include "zk/coordinator.h"

#include <functional>

namespace drover::jobs {

// Tells what happens in a cluster, from the nodes that come and go (jobs, claims, records, workers, cordons, candidates)
// and those that change (queues, named limits, recurring jobs), in the order of the transactions. What comes and goes
// between two looks is not seen, nor what is undone between them, but for the end of a job, whose record stays for a
// while: every job's end is told. What has changed is looked at again a moment later, when all that was changed before
// has been heard of, and not before a tenth of a second, or several times what the last look took: events come in
// bursts, and their cost is bounded.
//
// Nothing is told of what is there at the beginning. A watch on each directory, and on each queue, limit and recurring
// job that has ever been seen: one that has gone may come again.
class EventFeed
{
public:
    using OnEvent = std::function<void(const Event &event)>;

    EventFeed(zk::Coordinator &zk, Layout layout, OnEvent onEvent);
    ~EventFeed();

    // For as long as the session lives. Throws SessionLost, AccessDenied.
    async::Task<void> run();

private:
    struct Followed;
    using Compare = std::function<std::vector<Event>(const zk::Node *before, const zk::Node *now)>;

    void follow(std::unique_ptr<EventSource> source, bool isNew);
    void followQueue(const QByteArray &queue, bool isNew);
    async::Task<void> followNames(zk::Path directory, std::function<void(const QByteArray &name, bool isNew)> onName);
    async::Task<void> followNode(zk::Path path, bool isNew, Compare compare);
    async::Task<void> followClaim(Event claimed);
    async::Task<void> look(std::shared_ptr<Followed> followed);
    async::Task<void> tellInOrder();
    void note(Event event);

    zk::Coordinator &m_zk;
    Layout m_layout;
    OnEvent m_onEvent;
    std::vector<std::shared_ptr<Followed>> m_followed;
    Demanding m_demanding;
    std::vector<Event> m_noted; // and not told yet
    zk::Zxid m_latest = 0; // that has been heard of
    async::Event m_changed;
    async::FirstFailure m_failure;
    async::TaskGroup m_following; // last: destroyed first
};

} // namespace drover::jobs
