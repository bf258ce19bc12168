#pragma once

#include "workers/unfolding_array.h"

namespace drover::workers {

// The arrays of one queue in the hands of the master: which of them are at work, and when. The protocol is told in
// Unfolder.
class ArrayQueue
{
public:
    static constexpr int MaxArrays = 100; // of one priority at work: the others wait for their end
    static constexpr int LeastOpen = 10; // tasks that each of these may have open, however many the others have

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
    async::Task<void> look();
    async::Task<void> list(zk::Watch &watch, QHash<qint32, ListedTasks> &tasks);
    async::Task<void> advance(QHash<qint32, ListedTasks> tasks);
    async::Task<void> untilChanged(const zk::Watch &watch);
    void admit();
    async::Duration pace() const;
    int openOf(int priority) const;

    zk::Coordinator &m_zk;
    const jobs::Layout &m_layout;
    const recipes::Fence &m_fence;
    TaskEnds &m_ends;
    GangTurn &m_turn;
    QByteArray m_queue;
    std::vector<jobs::QueueEntry> m_listed; // arrays, sorted
    std::map<jobs::QueueEntry, UnfoldingArray> m_arrays; // at work, in the order of dispatch
    std::vector<jobs::QueueEntry> m_hopeless; // may not be read or changed
    bool m_stale = true; // what is known of them
    bool m_woken = false; // since they were last advanced
    async::Duration m_listingTook{};
    async::Promise<bool> m_wake;
};

} // namespace drover::workers
