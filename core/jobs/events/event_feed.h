#pragma once

#include "async/task_group.h"
#include "jobs/events/event_sources.h"
#include "jobs/model/cluster.h"

#include <functional>

namespace drover::jobs {

// Reports the events of a cluster in the order of their transactions. It derives them from nodes that are created and
// deleted: jobs, claims, records, workers, cordons, candidates. It also derives them from nodes that change: queues,
// named limits, recurring jobs.
//
// It reads a changed directory after a pause, once all earlier changes are known. The pause is at least a tenth of a
// second, and several times the duration of the last read. So events come in bursts, and their cost is bounded. A node
// that is created and deleted between two reads causes no event, nor does a change that is undone. But a claim or a
// worker that has gone and come again between two reads causes both events: the job has stopped and started. The end of
// a job is always reported, because its record stays for a while. An event says how many starts of its job were missed.
//
// Nodes that exist at the beginning cause no events. It keeps one watch on each directory, and on each queue, limit and
// recurring job that it has seen. A deleted one may be created again, so its watch stays.
class EventFeed
{
public:
    using OnEvent = std::function<void(const Event &event)>;

    EventFeed(Cluster cluster, OnEvent onEvent);
    ~EventFeed();

    // Runs as long as the session lives. Throws SessionLost and AccessDenied.
    async::Task<void> run();

    int watches() const { return m_watches; }

private:
    struct Followed;
    using Compare = std::function<std::vector<Event>(const zk::Node *before, const zk::Node *now)>;

    void follow(std::unique_ptr<EventSource> source, bool isNew);
    void followQueue(const QByteArray &queue, bool isNew);
    async::Task<void> followNames(zk::Path directory, std::function<void(const QByteArray &name, bool isNew)> onName);
    async::Task<void> followNode(zk::Path path, bool isNew, Compare compare);
    async::Task<void> followClaim(Event claimed);
    async::Task<void> readOnce(std::shared_ptr<Followed> followed);
    async::Task<void> readReturned(std::shared_ptr<Followed> followed, QByteArrayList stayed);
    async::Task<void> reportInOrder();
    void note(Event event);
    void countUnseenStarts(Event &event);

    Cluster m_cluster;
    OnEvent m_onEvent;
    std::vector<std::shared_ptr<Followed>> m_followed;
    PossibleWaiters m_possibleWaiters;
    QHash<JobId, int> m_attempts; // of the unfinished jobs whose latest reported attempt is known
    std::vector<Event> m_noted; // events that are not reported yet
    zk::Zxid m_latest = 0; // the latest known transaction
    int m_watches = 0; // that stay; a claim that waits needs one more for a moment
    async::Event m_changed;
    async::FirstFailure m_failure;
    async::TaskGroup m_following; // last: destroyed first
};

} // namespace drover::jobs
