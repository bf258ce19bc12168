#pragma once

#include "jobs/model/cluster.h"
#include "workers/master/arrays/expanding_array.h"
#include "workers/master/arrays/gang_scheduler.h"
#include "workers/master/arrays/open_share.h"

namespace drover::workers {

// The arrays of one queue in the master: which of them are at work, and when. ArrayExpander describes the protocol.
//
// At most MaxArrays arrays of one priority are at work. Some cannot proceed: held arrays, gangs that wait, arrays whose
// tasks no worker takes. Such an array steps aside when another one waits for its place, and comes back in turn, so it
// does not block the others. All state of an array is in its node, so stepping aside loses nothing.
//
// Only unclaimed tasks count against the share of an array (OpenShare). No watch reports claims, so the master lists
// again at least every five seconds while an array could open more tasks.
class QueueArrays
{
public:
    static constexpr int MaxArrays = 100; // of one priority at work

    // All that is referred to outlives this.
    QueueArrays(jobs::Cluster cluster, const recipes::Fence &fence, TaskOutcomes &outcomes, GangScheduler &scheduler,
                QByteArray queue)
        : m_cluster(std::move(cluster)), m_fence(fence), m_outcomes(outcomes), m_scheduler(scheduler),
          m_queue(std::move(queue))
    {
    }

    // The arrays that are in the queue now, known ones included: these may have changed.
    void setListed(std::vector<jobs::QueueEntry> arrays);

    // Advances the arrays again although the queue has not changed.
    void wake();

    // Runs until destroyed. Throws Deposed, SessionLost.
    async::Task<void> run();

    // True while the end of this task has to be counted.
    bool awaits(const jobs::JobId &task) const;

private:
    struct AtWork {
        std::unique_ptr<ExpandingArray> array;
        OpenShare share;
        quint64 since; // m_steps at its admission

        int unclaimed() const { return array->sharesRoom() ? std::max(0, array->open() - share.claimed()) : 0; }
    };
    struct Aside {
        quint64 since; // m_steps when it stepped aside
        int unclaimed; // tasks in the queue
    };
    struct Listing {
        QHash<qint32, ListedTasks> tasks; // by the numbers of the arrays at work
        QHash<qint32, int> claimed; // how many of these tasks are claimed
    };

    async::Task<void> look();
    async::Task<ExpandingArray::Step> lookAt(jobs::QueueEntry entry);
    async::Task<void> list(zk::Watch &watch, Listing &listing);
    void noteListed(const QByteArrayList &names, Listing &listing);
    void noteClaims(const QByteArrayList &names, Listing &listing) const;
    async::Task<void> advance(Listing listing);
    async::Task<void> untilChanged(const zk::Watch &watch);
    std::vector<jobs::QueueEntry> admitted() const;
    bool lacksPlace(const jobs::QueueEntry &array) const;
    std::vector<jobs::QueueEntry> waitingForPlace() const;
    void stepAside(std::vector<jobs::QueueEntry> waiting);
    bool isIdle(const AtWork &atWork) const;
    void leaveAlone(const jobs::QueueEntry &array, const std::exception &why);
    void drop(const jobs::QueueEntry &array);
    void planRecheck();
    async::Duration pace() const;
    int unclaimedOfOthers(const jobs::QueueEntry &array) const;

    jobs::Cluster m_cluster;
    const recipes::Fence &m_fence;
    TaskOutcomes &m_outcomes;
    GangScheduler &m_scheduler;
    QByteArray m_queue;
    std::vector<jobs::QueueEntry> m_listed; // arrays, sorted
    std::map<jobs::QueueEntry, AtWork> m_arrays; // at work, in the order of dispatch
    std::map<jobs::QueueEntry, Aside> m_aside; // listed arrays that have stepped aside
    quint64 m_steps = 0; // counts both
    std::vector<jobs::QueueEntry> m_hopeless; // access denied, or for newer masters only
    bool m_stale = true; // an array may have changed: look() is due
    bool m_woken = false; // since the last advance()
    async::Duration m_listingTook{};
    async::Timer m_recheck;
    async::Promise<bool> m_wake;
};

} // namespace drover::workers
