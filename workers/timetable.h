#pragma once

#include "async/task_group.h"
#include "jobs/schedules.h"
#include "recipes/fence.h"
#include "recipes/tree_watch.h"
#include "workers/server_clock.h"

#include <map>

namespace drover::workers {

// The master's duty towards schedules/: their jobs are submitted when they are due.
//
//     follow schedules/; sleep until one is due, a second at most: somebody may set the clock
//     read that one                                                    its ticks up to now: jobs::dueTicks()
//     for each of its ticks: check(master) ; set(schedule, last tick, version) ; create its job     one transaction
//                            check(master) ; set(schedule, the job's id, version)
//
//     1  A tick is carried out once, whoever leads and whatever is lost: the transaction that submits its job takes the
//        schedule past it, and names the version that was read. Two masters, of which one does not know that it is none
//        any more, exclude each other by that version alone; the check keeps the old one from everything else.
//     2  After a lost reply the schedule is read again. If it still stands before the tick, the tick is tried again,
//        with the version that would make a transaction still under way fail, or be failed by it.
//     3  The id of a job is known only after its transaction. If it could not be noted, whoever needs it looks for the
//        job by its key.
//     4  A tick that cannot be submitted, because its queue is full or gone, stays due; when that has changed, the
//        schedule's catch-up policy says what becomes of it.
//     5  No tick is due while this machine's clock is not known to agree with the servers'.
class Timetable
{
public:
    // `clock` outlives it; null: the own clock is good.
    Timetable(zk::Coordinator &zk, jobs::Layout layout, const ServerClock *clock = nullptr);

    // Until the fence no longer holds. Throws SessionLost, and what keeps it from following schedules/; every other
    // trouble is logged, once, and tried again.
    async::Task<void> run(recipes::Fence fence);

    void setConfig(const jobs::ClusterConfig &config) { m_config = config; }

private:
    using Instant = std::chrono::milliseconds; // of the Unix epoch

    struct Plan {
        Instant next{}; // tick
        Instant lastTick{};
        async::TimePoint notBefore{}; // after a failure
        QString trouble;
    };

    void take(const recipes::TreeWatch::Change &change);
    void plan(const jobs::StoredSchedule &stored);
    std::vector<QByteArray> due() const;
    bool hasGoodClock() const { return !m_clock || m_clock->agrees(); }
    async::Task<void> tick(recipes::Fence fence);
    async::Duration untilNext() const;

    async::Task<void> attempt(recipes::Fence fence, QByteArray name);
    async::Task<void> carryOut(recipes::Fence fence, QByteArray name);
    async::Task<bool> runTick(recipes::Fence fence, jobs::StoredSchedule &stored, Instant tick);
    async::Task<bool> makeWay(jobs::StoredSchedule &stored, Instant tick);
    async::Task<std::optional<jobs::JobId>> unfinishedRun(const jobs::StoredSchedule &stored);
    async::Task<void> requireRoom(QByteArray queue);
    void submit(zk::Transaction &transaction, const jobs::JobSpec &job) const;
    jobs::JobId made(const jobs::JobSpec &job, const zk::Path &path) const;
    async::Task<bool> write(recipes::Fence fence, jobs::StoredSchedule &stored, std::optional<jobs::JobSpec> job);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    const ServerClock *m_clock;
    jobs::ClusterConfig m_config;
    bool m_deposed = false;
    std::map<QByteArray, Plan> m_plans;
    recipes::TreeWatch m_schedules;
};

} // namespace drover::workers
