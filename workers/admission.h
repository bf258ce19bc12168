#pragma once

#include "async/event.h"
#include "async/task_group.h"
#include "workers/claimed_job.h"
#include "zk/coordinator.h"

#include <memory>
#include <vector>

namespace drover::workers {

class Reporter;

// The claimed jobs that a free slot is not enough for. They occupy no slots while they wait: first for what they hold
// while they run (locks, permits), then for room (slots, memory), in the order in which they got that far.
//
//     add() -> holds nothing yet -> ready -> takeReady()
//                  |                  |
//                  +- cancelled       +- no room for its patience
//                  +- giveBackAll()   +- the same
//                        each of these: given back, and what it held is released once that is reported
//
// Patience doubles with each time that a job was given back, so that one which needs much gets it somewhere in the end,
// and another worker that has the room meanwhile gets the job. One that waits for longer than a moment says for what in
// its claim, for people.
class Admission
{
public:
    static constexpr int MaxWaiting = 16; // claims held without running: what is beyond stays in the queue

    // `onReady` may take jobs; `onReturned` hears of each that was given back by itself. All outlive this.
    Admission(zk::Coordinator &zk, jobs::Layout layout, Reporter &reporter, std::function<void()> onReady,
              std::function<void(const ClaimedJob &)> onReturned);
    ~Admission();

    // `queueLimit`: the job's queue has a limit.
    void add(ClaimedJob job, bool queueLimit);

    int size() const { return static_cast<int>(m_all.size()); }
    // The first that holds what it needs to hold; null if there is none.
    const ClaimedJob *ready() const { return m_ready.empty() ? nullptr : &m_ready.front()->job; }
    ClaimedJob takeReady();

    // Those of one queue, or of all.
    void giveBackAll(const QByteArray &queue = {});
    void forgetAll(); // the session is over
    // Returns once nothing is under way here.
    async::Task<void> drained() { return m_tasks.drained(); }

private:
    struct Entry {
        ClaimedJob job;
        bool queueLimit = false;
        bool left = false; // taken, or given back
        QString waitsFor; // "lock db"
        bool told = false; // in its claim
        async::Event newlyWaits; // `waitsFor` has changed
        async::Event over; // it is to leave, or has
    };
    using EntryPtr = std::shared_ptr<Entry>;

    async::Task<void> admit(EntryPtr entry);
    async::Task<void> obtain(EntryPtr entry);
    async::Task<void> hold(EntryPtr entry);
    async::Task<void> tell(EntryPtr entry);
    async::Task<void> watchClaim(EntryPtr entry);
    static async::Task<void> untilOver(EntryPtr entry);
    async::Task<void> say(ClaimedJob job, QString waits);
    void giveBack(const EntryPtr &entry);
    void remove(const EntryPtr &entry);
    static async::Duration patience(const ClaimedJob &job);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    Reporter &m_reporter;
    std::function<void()> m_onReady;
    std::function<void(const ClaimedJob &)> m_onReturned;
    std::vector<EntryPtr> m_all;
    std::vector<EntryPtr> m_ready; // of those
    async::TaskGroup m_tasks; // last: destroyed first
};

} // namespace drover::workers
