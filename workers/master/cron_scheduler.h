#pragma once

#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "jobs/schedules/schedules.h"
#include "recipes/blocks/fence.h"
#include "workers/master/schedule_plans.h"

namespace drover::workers {

// The master's duty towards schedules/: it submits the jobs of schedules when they are due.
//
//     follow schedules/ (SchedulePlans); sleep until one is due
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
class CronScheduler
{
public:
    // The arguments of SchedulePlans.
    CronScheduler(jobs::Cluster cluster, Troubles &troubles, const zk::ServerClock *clock = nullptr)
        : m_cluster(cluster), m_plans(std::move(cluster), troubles, clock)
    {
    }

    // Runs until the fence no longer holds. Throws SessionLost, and the error when schedules/ cannot be followed. Every
    // other failure is logged once and retried.
    async::Task<void> run(recipes::Fence fence);

    void setConfig(const jobs::ClusterConfig &config) { m_config = config; }

private:
    using Instant = std::chrono::milliseconds; // of the Unix epoch

    async::Task<void> tick(recipes::Fence fence);
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
    jobs::ClusterConfig m_config;
    bool m_deposed = false;
    SchedulePlans m_plans;
};

} // namespace drover::workers
