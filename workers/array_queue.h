#pragma once

#include "workers/open_share.h"
#include "workers/unfolding_array.h"

namespace drover::workers {

// The arrays of one queue in the hands of the master: which of them are at work, and when. The protocol is told in
// Unfolder.
//
// At most MaxArrays of one priority are at work. An array that can do nothing now (it is held, it is a gang that waits,
// nobody takes its tasks) steps aside when another waits for its place, and comes back in turn: so it stops none of the
// others. What is known of an array stands in its node, so stepping aside loses nothing.
//
// Only its unclaimed tasks count against an array's share (OpenShare). Claims change nothing that is watched: while an
// array could open more tasks the master lists again, every five seconds at least.
class ArrayQueue
{
public:
    static constexpr int MaxArrays = 100; // of one priority at work

    // All that is referred to outlives this.
    ArrayQueue(zk::Coordinator &zk, const jobs::Layout &layout, const recipes::Fence &fence, TaskEnds &ends,
               GangTurn &turn, QByteArray queue)
        : m_zk(zk), m_layout(layout), m_fence(fence), m_ends(ends), m_turn(turn), m_queue(std::move(queue))
    {
    }

    // The queue's arrays: there may be others than before, and those that were there may have changed.
    void setListed(std::vector<jobs::QueueEntry> arrays);

    // Something else than the queue has changed that its arrays wait for.
    void wake();

    // Until destroyed. Throws Deposed, SessionLost.
    async::Task<void> run();

    // Whether somebody is going to look how it ended.
    bool awaits(const jobs::JobId &task) const;

private:
    struct AtWork {
        AtWork(ArrayQueue &queue, const jobs::QueueEntry &entry, quint64 step);

        UnfoldingArray array;
        OpenShare share;
        quint64 since; // counts those that came to work

        int unclaimed() const { return array.isGang() ? 0 : std::max(0, array.open() - share.claimed()); }
    };
    struct Aside {
        quint64 since; // counts those that stepped aside
        int unclaimed; // tasks in the queue
    };
    struct Listing {
        QHash<qint32, ListedTasks> tasks; // by the numbers of the arrays at work
        QHash<qint32, int> claimed; // of these tasks
    };

    async::Task<void> look();
    async::Task<void> list(zk::Watch &watch, Listing &listing);
    void noteListed(const QByteArrayList &names, Listing &listing);
    void noteClaims(const QByteArrayList &names, Listing &listing) const;
    async::Task<void> advance(Listing listing);
    async::Task<void> untilChanged(const zk::Watch &watch);
    void admit();
    bool lacksPlace(const jobs::QueueEntry &array) const;
    std::vector<jobs::QueueEntry> waitingForPlace() const;
    void stepAside(std::vector<jobs::QueueEntry> waiting);
    bool isIdle(const AtWork &atWork) const;
    void drop(const jobs::QueueEntry &array);
    void planRecheck();
    async::Duration pace() const;
    int unclaimedOfOthers(const jobs::QueueEntry &array) const;

    zk::Coordinator &m_zk;
    const jobs::Layout &m_layout;
    const recipes::Fence &m_fence;
    TaskEnds &m_ends;
    GangTurn &m_turn;
    QByteArray m_queue;
    std::vector<jobs::QueueEntry> m_listed; // arrays, sorted
    std::map<jobs::QueueEntry, AtWork> m_arrays; // at work, in the order of dispatch
    std::map<jobs::QueueEntry, Aside> m_aside; // listed, and have stepped aside
    quint64 m_steps = 0; // counts both
    std::vector<jobs::QueueEntry> m_hopeless; // may not be read or changed
    bool m_stale = true; // what is known of them
    bool m_woken = false; // since they were last advanced
    async::Duration m_listingTook{};
    async::Timer m_recheck;
    async::Promise<bool> m_wake;
};

} // namespace drover::workers
