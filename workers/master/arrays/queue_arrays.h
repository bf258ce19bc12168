#pragma once

#include "jobs/model/cluster.h"
#include "workers/master/arrays/array_places.h"
#include "workers/master/arrays/gang_scheduler.h"
#include "workers/master/base/set_aside.h"
#include "workers/master/base/troubles.h"

namespace drover::workers {

// Brings the arrays of one queue forward that have a place (ArrayPlaces). ArrayExpander describes the protocol.
//
// Only unclaimed tasks count against the share of an array (OpenShare). No watch reports claims, so the master lists
// again at least every five seconds while an array could open more tasks.
class QueueArrays
{
public:
    // All that is referred to outlives this.
    QueueArrays(jobs::Cluster cluster, const recipes::Fence &fence, TaskOutcomes &outcomes, GangScheduler &scheduler,
                Troubles &troubles, QByteArray queue)
        : m_cluster(std::move(cluster)), m_fence(fence), m_outcomes(outcomes), m_scheduler(scheduler),
          m_queue(std::move(queue)), m_troubles(troubles)
    {
    }

    // The arrays that are in the queue now, known ones included: these may have changed.
    void setListed(std::vector<jobs::QueueEntry> arrays);

    // Advances the arrays again although the queue has not changed.
    void wake();

    // Runs until destroyed. Throws Deposed, SessionLost.
    async::Task<void> run();

    // True while the end of this task has to be counted.
    bool awaits(const jobs::JobId &task) const { return m_places.awaits(task) || m_setAside.holds(task.array()); }

private:
    struct Listing {
        QHash<qint32, ListedTasks> tasks; // by the numbers of the arrays at work
        QHash<qint32, int> claimed; // how many of these tasks are claimed
    };

    async::Task<void> look();
    async::Task<ExpandingArray::Step> lookAt(jobs::QueueEntry entry);
    async::Task<void> carryOut(jobs::QueueEntry array, async::Task<ExpandingArray::Step> step);
    async::Task<void> list(zk::Watch &watch, Listing &listing);
    void noteListed(const QByteArrayList &names, Listing &listing);
    void noteClaims(const QByteArrayList &names, Listing &listing) const;
    async::Task<void> advance(Listing listing);
    async::Task<void> untilChanged(const zk::Watch &watch);
    void planRecheck();
    async::Duration pace() const;

    jobs::Cluster m_cluster;
    const recipes::Fence &m_fence;
    TaskOutcomes &m_outcomes;
    GangScheduler &m_scheduler;
    QByteArray m_queue;
    DutyTroubles m_troubles;
    SetAside m_setAside{m_cluster.zk.loop(), m_troubles}; // arrays that are not in m_places
    ArrayPlaces m_places;
    bool m_stale = true; // an array may have changed: look() is due
    bool m_woken = false; // since the last advance()
    async::Duration m_listingTook{};
    async::Timer m_recheck;
    async::Promise<bool> m_wake;
};

} // namespace drover::workers
