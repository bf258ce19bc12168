#pragma once

#include "core/jobs/job_cluster.h"
#include "jobs/schedules/schedules.h"
#include "workers/master/cron_scheduler.h"

#include <QDateTime>

namespace drover::test {

// The broken variant (FakeSessionOptions::sabotage): transactions check nothing that could fail, but have all their
// operations.
inline void checkNothing(zk::Request &request)
{
    auto *multi = std::get_if<zk::MultiRequest>(&request);
    if (!multi)
        return;
    zk::Transaction blind;
    for (const zk::Transaction::Operation &operation : multi->transaction.operations()) {
        if (const auto *create = std::get_if<zk::Transaction::Create>(&operation))
            blind.create(create->path, create->data, create->mode, create->acl);
        else if (const auto *remove = std::get_if<zk::Transaction::Remove>(&operation))
            blind.remove(remove->path);
        else if (const auto *set = std::get_if<zk::Transaction::Set>(&operation))
            blind.set(set->path, set->data);
        else
            blind.check(jobs::Layout::clusters());
    }
    multi->transaction = blind;
}

// A cluster with schedules, and masters made by hand: each has a node of its own that says so, and as many may have one
// as the test wants.
class CronSchedulerCluster : public JobCluster
{
public:
    using Instant = std::chrono::milliseconds; // of the epoch

    explicit CronSchedulerCluster(int size = 2, const FakeSessionOptions &options = {}) : JobCluster(size, options)
    {
        setClock("2026-11-21T00:00:00Z");
    }

    static Instant at(const char *utc)
    {
        return Instant(QDateTime::fromString(QString::fromLatin1(utc), Qt::ISODate).toMSecsSinceEpoch());
    }
    Instant now() const { return world.wallClock(); }
    void setClock(const char *utc) { world.setWallClock(at(utc)); }
    // Lets time pass until the clock shows this.
    void until(const char *utc) { settle(at(utc) - now()); }

    // A schedule in UTC that has been dealt with up to now. Its job is `true`.
    void add(const QByteArray &name, const char *cron,
             jobs::ScheduleEntry::CatchUp catchUp = jobs::ScheduleEntry::CatchUp::One,
             jobs::ScheduleEntry::Overlap overlap = jobs::ScheduleEntry::Overlap::Allow)
    {
        jobs::ScheduleEntry entry{.when = jobs::CronSchedule::parse(QString::fromLatin1(cron)),
                                  .job = spec(),
                                  .catchUp = catchUp,
                                  .overlap = overlap,
                                  .lastTick = now()};
        entry.job.submittedAt = now();
        run(jobs::addSchedule(jobs::Cluster((*this)[0], layout), name, std::move(entry)));
    }
    jobs::ScheduleEntry entry(const QByteArray &name) const
    {
        return jobs::ScheduleEntry::decode(node(layout.schedule(name)).data);
    }

    // These make the candidate of this number the master, or end its time as the master.
    void elect(int who)
    {
        commit(zk::Transaction().create(fenceOf(who).path, ""));
        m_masters[who] = std::make_unique<Master>(*this, who);
        m_masters[who]->running.spawn(m_masters[who]->scheduler.run(fenceOf(who)));
    }
    void depose(int who) { commit(zk::Transaction().remove(fenceOf(who).path)); } // it does not know
    void end(int who)
    {
        m_masters.erase(who);
        depose(who);
    }
    workers::CronScheduler &scheduler(int who) { return m_masters.at(who)->scheduler; }
    bool works(int who) const { return !m_masters.at(who)->running.empty(); }

    jobs::JobSpec jobOf(const QByteArray &name) const
    {
        return jobs::JobSpec::decode(node(layout.queue("default") / name).data, "default", 5);
    }
    // The ticks whose jobs are in the queue, "a 00:05" each, in the order of their numbers.
    QStringList ticks() const
    {
        QByteArrayList names = childrenOf(layout.queue("default"));
        std::sort(names.begin(), names.end());
        QStringList list;
        for (const QByteArray &name : names)
            list.append(jobOf(name).key.section(u' ', 1).replace(QStringLiteral("2026-11-21T"), QString()).chopped(8));
        return list;
    }
    // As a worker that has run the job.
    void endJob(const QByteArray &name)
    {
        const jobs::JobId id{"default", jobs::QueueEntry::parse(name)->number};
        JobCluster::end(id, jobs::FinalRecord::of(id, jobOf(name)));
    }

private:
    struct Master {
        Master(CronSchedulerCluster &fake, int who)
            : troubles(fake[who].loop()), scheduler(jobs::Cluster(fake[who], fake.layout), troubles)
        {
        }

        workers::Troubles troubles;
        workers::CronScheduler scheduler;
        async::TaskGroup running{[](const std::exception_ptr &) {}}; // a session's end
    };

    recipes::Fence fenceOf(int who) const { return {layout.master() / QByteArray::number(who)}; }

    std::map<int, std::unique_ptr<Master>> m_masters;
};

} // namespace drover::test
