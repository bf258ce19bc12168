#pragma once

#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "jobs/schedules/schedules.h"
#include "recipes/blocks/fence.h"
#include "recipes/blocks/tree_watch.h"
#include "workers/master/base/troubles.h"
#include "zk/server_clock.h"

#include <map>

namespace drover::workers {

// The master's duty towards schedules/: it submits the jobs of schedules when they are due.
//
//     follow schedules/; sleep until one is due, a second at most, because the clock may be set
//     read that schedule                                               its ticks up to now: jobs::dueTicks()
//     for each of its ticks: check(master) ; set(schedule, last tick, version) ; create its job     one transaction
//                            check(master) ; set(schedule, the job's id, version)
//
//     1  A tick is carried out once, under any master and after any loss: the transaction that submits its job takes
//        the schedule past the tick, and names the version that was read. That version alone excludes a second master;
//        the check also keeps a deposed master from all other writes.
//     2  After a lost reply the schedule is read again. If it is still before the tick, the tick is retried with the
//        version that was read: only one of the retry and a transaction that is still under way can succeed.
//     3  The id of a job is known only after its transaction. If it could not be stored, later readers look for the job
//        by its key.
//     4  A tick that cannot be submitted, because its queue is full or gone, stays due; when that has changed, the
//        schedule's catch-up policy decides.
//     5  No tick is due unless this machine's clock is known to agree with the servers'.
//     6  A node costs its writer nothing and the master a watch, so it follows jobs::MaxSchedules. If there are more, that
//        is a trouble: what it follows stays so, and of the others it follows the first by name.
class CronScheduler
{
public:
    // `troubles` and `clock` outlive it. Without a clock this machine's is trusted.
    CronScheduler(jobs::Cluster cluster, Troubles &troubles, const zk::ServerClock *clock = nullptr);

    // Runs until the fence no longer holds. Throws SessionLost, and the error when schedules/ cannot be followed. Every
    // other failure is logged once and retried.
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

    QByteArrayList select(const QByteArrayList &names);
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
    void submit(zk::Transaction &transaction, const jobs::JobSpec &job, const QByteArray &stored) const;
    jobs::JobId made(const jobs::JobSpec &job, const zk::Path &path) const;
    async::Task<bool> write(recipes::Fence fence, jobs::StoredSchedule &stored, std::optional<jobs::JobSpec> job);

    jobs::Cluster m_cluster;
    Troubles &m_troubles;
    const zk::ServerClock *m_clock;
    jobs::ClusterConfig m_config;
    bool m_deposed = false;
    std::map<QByteArray, Plan> m_plans;
    recipes::TreeWatch m_schedules;
};

} // namespace drover::workers
