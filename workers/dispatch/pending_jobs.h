#pragma once

#include "async/event.h"
#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "jobs/model/gang.h"
#include "workers/attempts/capacity.h"
#include "workers/claims/claimed_job.h"
#include "workers/claims/lock_contention.h"
#include "zk/client.h"

#include <memory>
#include <vector>

namespace drover::workers {

class GangMemberNode;
class Reporter;

// The claimed jobs for which a free slot is not enough. They occupy no slot while they wait. They wait first for locks
// and permits, then for room (slots, memory), in the order in which they got their locks.
//
//     add() -> WaitsForLocks -> WaitsForRoom -> reserveNext() -> Reserved -> Started
//                  |                  |                             |
//                  +- cancelled,      +- no room for its patience   +- cancelled, deleted by hand
//                  |  deleted by hand +- cancelled, deleted by hand +- giveBackAll()
//                  +- giveBackAll()   +- giveBackAll()
//                        each of these: Left; the job is given back, and its locks are released once that is reported
//
// A Reserved job has its room and starts at once; startAttempt() makes it an attempt. The claim of a gang's member is
// an attempt already: the member starts when the other members have their room (GangMemberNode). A member that is
// leaving still runs if its round starts first.
//
// A job waits for room until its patience ends. The patience doubles each time, up to eight minutes, so that a large
// job gets its room on some worker in the end. It ends early when another worker has room now. If a job waits longer
// than a moment, its claim says for what, for people to read.
class PendingJobs
{
public:
    class Listener
    {
    public:
        virtual void pendingChanged() = 0; // next() may have room now, or fewer jobs wait for a lock
        virtual void pendingReturned(const ClaimedJob &job) = 0; // given back, not by giveBackAll()
        virtual void pendingStarted(ClaimedJob job, Capacity::Reservation room) = 0; // the caller runs it now

    protected:
        ~Listener() = default;
    };

    // `self`: this worker, for the other members of its gangs. All arguments outlive this object.
    PendingJobs(jobs::Cluster cluster, Reporter &reporter, jobs::GangMember self, Listener &listener);
    ~PendingJobs();

    // `queueLimit`: the job's queue has a limit.
    void add(ClaimedJob job, bool queueLimit);

    LockContention contention() const;
    // The needs of those jobs that are members of gangs.
    std::vector<jobs::Needs> needsOfMembers() const;
    // The first job that waits for room; null if there is none.
    const ClaimedJob *next() const { return m_ready.empty() ? nullptr : &m_ready.front()->job; }
    void reserveNext(Capacity::Reservation room);

    // Gives back the jobs of one queue, or of all queues.
    void giveBackAll(const QByteArray &queue = {});
    void forgetAll(); // the session is over
    // Returns once all tasks here have ended.
    async::Task<void> drained() { return m_tasks.drained(); }

private:
    enum class Stage { WaitsForLocks, WaitsForRoom, Reserved, Started, Left };
    struct Entry {
        ClaimedJob job;
        bool queueLimit = false;
        Stage stage = Stage::WaitsForLocks;
        Capacity::Reservation room; // once Reserved
        QString waitsFor; // "lock db"
        bool published = false; // its claim has `waitsFor`
        async::Event newlyWaits; // `waitsFor` has changed
        async::Event reserved;
        async::Event over; // it must leave, or has left
        std::shared_ptr<GangMemberNode> place; // of a member of a gang, once Reserved
    };
    using EntryPtr = std::shared_ptr<Entry>;

    async::Task<void> attend(EntryPtr entry);
    async::Task<void> obtain(EntryPtr entry);
    async::Task<void> acquireLocks(EntryPtr entry);
    async::Task<void> untilRoomElsewhere(EntryPtr entry, async::Duration patience);
    async::Task<void> assemble(EntryPtr entry);
    async::Task<void> cancelIfOrphaned(jobs::JobId member);
    async::Task<void> decideStart(EntryPtr entry);
    void handOver(const EntryPtr &entry);
    async::Task<void> publish(EntryPtr entry);
    async::Task<void> watchClaim(EntryPtr entry);
    async::Task<void> untilDeleted(EntryPtr entry);
    void giveBack(const EntryPtr &entry);
    void remove(const EntryPtr &entry);
    static async::Duration patience(const ClaimedJob &job);

    jobs::Cluster m_cluster;
    Reporter &m_reporter;
    jobs::GangMember m_self;
    Listener &m_listener;
    std::vector<EntryPtr> m_all;
    std::vector<EntryPtr> m_ready; // the jobs that wait for room, in their order
    async::TaskGroup m_tasks; // last: destroyed first
};

} // namespace drover::workers
