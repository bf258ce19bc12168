#pragma once

#include "async/event.h"
#include "async/task_group.h"
#include "jobs/gang.h"
#include "workers/claimed_job.h"
#include "workers/crowd.h"
#include "zk/coordinator.h"

#include <functional>
#include <memory>
#include <vector>

namespace drover::workers {

class GangPlace;
class Reporter;

// The claimed jobs that a free slot is not enough for. They occupy no slots while they wait: first for what they hold
// while they run (locks, permits), then for room (slots, memory), in the order in which they got that far.
//
//     add() -> holds nothing yet -> ready -> seatReady() -> begun
//                  |                  |                                            |
//                  +- cancelled,      +- no room for its patience                  +- cancelled, deleted by hand
//                  |  deleted by hand +- cancelled, deleted by hand                +- giveBackAll()
//                  +- giveBackAll()   +- giveBackAll()
//                        each of these: given back, and what it held is released once that is reported
//
// One that is seated has its room: what it needs is out of the worker's capacity from now on. It begins at once, which
// is when it becomes an attempt (beginClaimed); a member of a gang, whose claim is one, when the others have their
// rooms (GangPlace). If its round begins before it has left, it runs.
//
// Patience doubles each time that it has ended, up to eight minutes, so that a job which needs much gets it somewhere in
// the end. It ends early when another worker has the room: the job waits for nothing there. One that waits for longer
// than a moment says for what in its claim, for people.
class Admission
{
public:
    struct Listeners {
        std::function<void()> onReady; // may seat some; there is no crowd any more where one was
        std::function<void(const ClaimedJob &, bool seated)> onReturned; // was given back by itself
        std::function<void(ClaimedJob)> onBegun; // a seated one is to run
    };

    // `self` is what the other members of gangs hear of this worker. All outlive this.
    Admission(zk::Coordinator &zk, jobs::Layout layout, Reporter &reporter, jobs::GangMember self, Listeners listeners);
    ~Admission();

    // `queueLimit`: the job's queue has a limit.
    void add(ClaimedJob job, bool queueLimit);

    Crowd crowd() const;
    // Of the members of gangs among these.
    std::vector<jobs::Needs> needsOfMembers() const;
    // The first that holds what it needs to hold; null if there is none.
    const ClaimedJob *ready() const { return m_ready.empty() ? nullptr : &m_ready.front()->job; }
    // Its room is kept for it from now on.
    void seatReady();

    // Those of one queue, or of all.
    void giveBackAll(const QByteArray &queue = {});
    void forgetAll(); // the session is over
    // Returns once nothing is under way here.
    async::Task<void> drained() { return m_tasks.drained(); }

private:
    struct Entry {
        ClaimedJob job;
        bool queueLimit = false;
        bool holds = false; // all that it is to hold
        bool seated = false;
        bool begun = false; // in the cluster
        bool left = false; // begun here, or given back
        bool roomless = false; // its patience has ended
        QString waitsFor; // "lock db"
        bool told = false; // in its claim
        async::Event newlyWaits; // `waitsFor` has changed
        async::Event roomKept; // it is seated
        async::Event over; // it is to leave, or has
        std::shared_ptr<GangPlace> place; // of a member of a gang, once seated
    };
    using EntryPtr = std::shared_ptr<Entry>;

    async::Task<void> admit(EntryPtr entry);
    async::Task<void> obtain(EntryPtr entry);
    async::Task<void> hold(EntryPtr entry);
    async::Task<void> untilSeated(EntryPtr entry);
    async::Task<void> untilRoomElsewhere(EntryPtr entry, async::Duration patience);
    async::Task<void> assemble(EntryPtr entry);
    async::Task<void> cancelIfOrphaned(jobs::JobId member);
    async::Task<void> settle(EntryPtr entry);
    void start(const EntryPtr &entry);
    async::Task<void> tell(EntryPtr entry);
    async::Task<void> watchClaim(EntryPtr entry);
    async::Task<void> untilDeleted(EntryPtr entry);
    static async::Task<void> untilOver(EntryPtr entry);
    async::Task<void> say(ClaimedJob job, QString waits);
    void giveBack(const EntryPtr &entry);
    void remove(const EntryPtr &entry);
    static async::Duration patience(const ClaimedJob &job);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    Reporter &m_reporter;
    jobs::GangMember m_self;
    Listeners m_listeners;
    std::vector<EntryPtr> m_all;
    std::vector<EntryPtr> m_ready; // of those
    async::TaskGroup m_tasks; // last: destroyed first
};

} // namespace drover::workers
