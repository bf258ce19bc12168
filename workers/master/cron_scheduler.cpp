#include "workers/master/cron_scheduler.h"

#include "async/first_of.h"
#include "jobs/client/cancel_job.h"
#include "jobs/client/find_by_submit_key.h"
#include "jobs/client/job_lookup.h"
#include "jobs/client/reposition.h"
#include "jobs/client/submitter.h"

#include <QDateTime>
#include <QLoggingCategory>

namespace drover::workers {

using jobs::JobId;
using jobs::QueueEntry;
using jobs::ScheduleEntry;
using jobs::StoredSchedule;
using zk::Answer;
using zk::Code;

Q_LOGGING_CATEGORY(lcCronScheduler, "drover.workers.cron_scheduler")

namespace {

QByteArray written(std::chrono::milliseconds instant)
{
    return QDateTime::fromMSecsSinceEpoch(instant.count(), Qt::UTC).toString(Qt::ISODate).toLatin1();
}

} // namespace

async::Task<void> CronScheduler::run(recipes::Fence fence)
{
    co_await async::firstOf(m_cluster.zk.loop(), m_plans.follow(), tick(fence));
}

async::Task<void> CronScheduler::tick(recipes::Fence fence)
{
    async::TaskGroup ticking;
    while (!m_deposed) {
        for (const QByteArray &name : m_plans.due())
            ticking.spawn(attempt(fence, name));
        co_await ticking.drained();
        co_await async::sleepFor(m_cluster.zk.loop(), m_plans.untilNext());
        co_await m_cluster.zk.connected();
    }
}

async::Task<void> CronScheduler::attempt(recipes::Fence fence, QByteArray name)
{
    try {
        co_await carryOut(fence, name);
    } catch (const zk::ConnectionLoss &) { // what became of it, the schedule tells
    } catch (const zk::SessionLost &) { // run() meets it, too
    } catch (const std::exception &error) {
        m_plans.noteTrouble(name, QString::fromUtf8(error.what()));
    }
}

async::Task<void> CronScheduler::carryOut(recipes::Fence fence, QByteArray name)
{
    const Answer<zk::Node> node = co_await m_cluster.zk.get(m_cluster.layout.schedule(name));
    if (!node.ok()) {
        m_plans.remove(name);
        co_return;
    }
    StoredSchedule stored = jobs::readSchedule(name, *node);
    const jobs::DueTicks due =
        stored.entry ? dueTicks(*stored.entry, m_cluster.zk.loop().wallClock()) : jobs::DueTicks();
    const Instant since = stored.entry ? stored.entry->lastTick : Instant();
    for (const Instant tick : due.run) {
        const bool done = co_await runTick(fence, stored, tick);
        if (!done)
            co_return; // it has changed: look again
    }
    if (stored.entry && stored.entry->lastTick != due.lastTick) {
        stored.entry->lastTick = due.lastTick;
        const bool done = co_await write(fence, stored, std::nullopt);
        if (!done)
            co_return;
    }
    if (due.missed)
        qCWarning(lcCronScheduler, "schedule %s: ticks after %s were missed, %zu of them were run (catch-up: %s)",
                  name.constData(), written(since).constData(), due.run.size(),
                  qPrintable(catchUpName(stored.entry->catchUp)));
    m_plans.take(stored);
}

// False if the schedule has changed, or another master leads.
async::Task<bool> CronScheduler::runTick(recipes::Fence fence, StoredSchedule &stored, Instant tick)
{
    ScheduleEntry &entry = *stored.entry;
    const bool free = co_await makeWay(stored, tick);
    entry.lastTick = tick;
    if (!free)
        co_return co_await write(fence, stored, std::nullopt);
    co_await requireRoom(entry.job.queue);
    entry.lastRun = tick;
    entry.lastJob.reset();
    std::optional<jobs::JobSpec> job = entry.jobAt(stored.name, tick);
    const bool submitted = co_await write(fence, stored, std::move(job));
    if (!submitted)
        co_return false;
    qCInfo(lcCronScheduler, "schedule %s: tick %s is job %s", stored.name.constData(), written(tick).constData(),
           entry.lastJob->bytes().constData());
    co_return co_await write(fence, stored, std::nullopt);
}

// Applies the overlap policy. False if the tick is not to be run.
async::Task<bool> CronScheduler::makeWay(StoredSchedule &stored, Instant tick)
{
    if (stored.entry->overlap == ScheduleEntry::Overlap::Allow)
        co_return true;
    const std::optional<JobId> unfinished = co_await unfinishedRun(stored);
    if (!unfinished)
        co_return true;
    if (stored.entry->overlap == ScheduleEntry::Overlap::Skip) {
        qCInfo(lcCronScheduler, "schedule %s: tick %s is skipped, %s has not ended", stored.name.constData(),
               written(tick).constData(), unfinished->bytes().constData());
        co_return false;
    }
    co_await jobs::cancelIfThere(m_cluster, *unfinished);
    co_return true;
}

// A job that has the number but another key is of a queue that was removed and made again. One that was moved to
// another queue is followed there.
async::Task<std::optional<JobId>> CronScheduler::unfinishedRun(const StoredSchedule &stored)
{
    const ScheduleEntry &entry = *stored.entry;
    if (entry.lastRun.count() == 0)
        co_return std::nullopt;
    const QString key = ScheduleEntry::keyOf(stored.name, entry.lastRun);
    std::optional<JobId> id = entry.lastJob;
    if (!id)
        id = co_await jobs::findByKey(m_cluster, entry.job.queue, key);
    if (!id)
        co_return std::nullopt; // it has ended, and its record is gone
    try {
        jobs::JobView job = co_await jobs::lookUp(m_cluster, *id);
        const bool isOurs = !job.spec || job.spec->key == key;
        while (job.record && job.record->movedTo)
            job = co_await jobs::lookUp(m_cluster, *job.record->movedTo);
        if (isOurs && !isFinal(job.state))
            co_return job.id;
    } catch (const jobs::NotFound &) {
    }
    co_return std::nullopt;
}

async::Task<void> CronScheduler::requireRoom(QByteArray queue)
{
    const Answer<zk::Stat> stat = co_await m_cluster.zk.exists(m_cluster.layout.queue(queue));
    if (!stat.ok())
        co_await jobs::requireQueue(m_cluster, queue); // throws: there is none
    if (stat->numChildren >= m_config.queueLimit)
        throw jobs::QueueFull(queue, m_config.queueLimit);
}

// Writes the entry; with a job, submits that in the same transaction and notes its id. False if the schedule has
// changed, or another master leads.
async::Task<bool> CronScheduler::write(recipes::Fence fence, StoredSchedule &stored, std::optional<jobs::JobSpec> job)
{
    zk::Transaction transaction;
    fence.guard(transaction);
    const std::size_t entry = transaction.size();
    transaction.set(m_cluster.layout.schedule(stored.name), stored.entry->encode(), stored.version);
    if (job)
        submit(transaction, *job, stored.entry->encodeJob(*job));
    const Answer<zk::Committed> committed = co_await m_cluster.zk.commit(transaction);
    const std::optional<std::size_t> refused = committed->refusedAt();
    if (refused && *refused <= entry) {
        m_deposed = m_deposed || *refused < entry;
        co_return false;
    }
    if (committed.is(Code::NodeExists))
        throw jobs::numbersUsedUp(job->queue);
    committed.require();
    stored.version = committed->results[entry].stat.version;
    if (job)
        stored.entry->lastJob = made(*job, committed->results[entry + 1].path);
    co_return true;
}

void CronScheduler::submit(zk::Transaction &transaction, const jobs::JobSpec &job, const QByteArray &stored) const
{
    const QueueEntry::Class jobClass = job.entryClass();
    transaction.create(m_cluster.layout.queue(job.queue) / QueueEntry::prefix(jobClass, job.priority), stored,
                       zk::CreateMode::PersistentSequential);
    if (jobs::isMasters(jobClass))
        jobs::tellMaster(transaction, m_cluster.layout, job.queue);
}

JobId CronScheduler::made(const jobs::JobSpec &job, const zk::Path &path) const
{
    const std::optional<QueueEntry> entry = QueueEntry::parse(path.name());
    if (entry && entry->number != zk::LastSequence)
        return entry->idIn(job.queue);
    m_cluster.zk.discard(path);
    throw jobs::numbersUsedUp(job.queue);
}

} // namespace drover::workers
