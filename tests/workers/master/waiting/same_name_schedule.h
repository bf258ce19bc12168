#pragma once

#include "core/jobs/job_cluster.h"
#include "workers/master/waiting/same_name_jobs.h"

namespace drover::test {

// Jobs of two names come from users and from other queues, change their places, cannot be read for a while, and end.
// For each singleton the schedule asks which jobs of its name are before it, as the promoter does. It asks again when
// more is known, and when the job that the singleton waits for has ended. Nothing is left of a lost session. A
// singleton may go on only once no earlier job of its name is unfinished, and then it must.
class SameNameSchedule
{
public:
    // `hides`: some jobs cannot be read for a while. That takes long.
    explicit SameNameSchedule(const FaultPlan &plan, bool hides = false)
        : m_random(plan.seed), m_faults(plan), m_fake(1), m_hides(hides)
    {
    }

    // Seconds to minutes of virtual time. What was wrong; empty: nothing.
    QStringList run()
    {
        for (int i = 0; i < Moves; ++i) {
            keepAsking();
            move();
            m_fake.settle(std::chrono::milliseconds(m_random.below(20)));
        }
        m_faults.heal();
        while (!m_reserved.empty())
            arrive();
        while (!m_shut.empty())
            open();
        for (int i = 0; i < Patience && !unfinished().empty(); ++i) {
            keepAsking();
            for (const qint32 number : endable())
                end(number);
            m_fake.settle(std::chrono::seconds(1));
        }
        for (const qint32 number : unfinished())
            m_violations.append(QStringLiteral("%1 was never let go").arg(number));
        return m_violations;
    }

    const FaultLog &faults() const { return m_faults.log(); }
    int letGo() const { return m_letGo; }

private:
    static constexpr int Moves = 150;
    static constexpr int Patience = 200; // s

    struct Job {
        QString name;
        zk::Path path;
        bool waits = false;
        bool over = false;
        bool isSingleton = false;
    };
    struct Reserved { // the number of a job that comes from another queue
        zk::Path path;
        qint32 number;
    };

    class Asker
    {
    public:
        Asker(zk::Client &zk, SameNameSchedule &schedule)
            : m_zk(zk), m_schedule(schedule), m_troubles(zk.loop()), m_ofDuty(m_troubles),
              m_sameNameJobs(jobs::Cluster(zk, schedule.m_fake.layout), m_ofDuty,
                             [this](const QByteArray &) { m_read = true; })
        {
            m_task.spawn(run());
        }

    private:
        async::Task<void> run()
        {
            for (;;) {
                askForAll();
                co_await async::sleepFor(m_zk.loop(), std::chrono::milliseconds(5));
            }
        }

        void askForAll()
        {
            const bool read = std::exchange(m_read, false);
            for (auto &[number, job] : m_schedule.m_jobs) {
                const auto asked = m_behind.find(number);
                const bool isNew = asked == m_behind.end();
                if (job.waits && (isNew || (asked->second ? m_schedule.m_jobs.at(*asked->second).over : read)))
                    ask(number, job);
            }
        }

        void ask(qint32 number, Job &job)
        {
            std::optional<qint32> &behind = m_behind[number];
            for (;;) {
                if (behind)
                    m_sameNameJobs.forget({Queue, *behind});
                const SameNameJobs::Earlier earlier = m_sameNameJobs.before({Queue, number}, job.name);
                behind = earlier.latest ? std::optional(earlier.latest->number) : std::nullopt;
                if (earlier.known && !behind)
                    m_schedule.letGo(number, job);
                if (!behind || !m_schedule.m_jobs.at(*behind).over)
                    return;
            }
        }

        using SameNameJobs = workers::SameNameJobs;

        zk::Client &m_zk;
        SameNameSchedule &m_schedule;
        workers::Troubles m_troubles;
        workers::DutyTroubles m_ofDuty;
        SameNameJobs m_sameNameJobs;
        bool m_read = false;
        std::map<qint32, std::optional<qint32>> m_behind; // nothing: not known yet
        async::TaskGroup m_task; // last: it uses the others
    };

    void keepAsking()
    {
        if (m_asker && m_fake[m_who].state() != zk::Client::State::Lost)
            return;
        m_asker.reset();
        m_fake.add({.latency = std::chrono::milliseconds(3), .faults = &m_faults});
        m_asker = std::make_unique<Asker>(m_fake[++m_who], *this);
    }

    void move()
    {
        const std::vector<qint32> all = unfinished();
        const std::vector<qint32> free = endable();
        const int kind = m_random.below(m_hides ? 7 : 5);
        if (kind == 0 || free.empty())
            submit();
        else if (kind == 3)
            reserve();
        else if (kind == 4)
            arrive();
        else if (kind == 5)
            shut(all[std::size_t(m_random.below(int(all.size())))]);
        else if (kind == 6)
            open();
        else if (kind == 1)
            end(free[std::size_t(m_random.below(int(free.size())))]);
        else
            changePriority(all[std::size_t(m_random.below(int(all.size())))]);
    }

    void submit()
    {
        const jobs::JobSpec spec = someJob();
        add(m_fake.submit(spec), spec);
    }

    jobs::JobSpec someJob()
    {
        jobs::JobSpec spec = JobCluster::spec();
        spec.name = m_random.chance(0.5) ? QStringLiteral("hourly") : QStringLiteral("nightly");
        return spec;
    }

    void add(const jobs::JobId &id, const jobs::JobSpec &spec)
    {
        const bool waits = m_random.chance(0.5);
        m_jobs[id.number] = {.name = spec.name, .path = m_fake.pathOf(id), .waits = waits, .isSingleton = waits};
    }

    // As moveToQueue() does before it moves the job. It may also fail then.
    void reserve()
    {
        const zk::Path prefix = m_fake.layout.queue(Queue) / "m_0-";
        const zk::Answer<zk::Created> created =
            m_fake.get(m_fake[0].create(prefix, {}, zk::CreateMode::EphemeralSequential));
        m_reserved.push_back({created->path, zk::sequenceOf(created->path.name()).value()});
    }

    void arrive()
    {
        if (m_reserved.empty())
            return;
        const Reserved reserved = m_reserved.front();
        m_reserved.erase(m_reserved.begin());
        zk::Transaction transaction;
        transaction.remove(reserved.path);
        const jobs::JobId id{Queue, reserved.number};
        if (m_random.chance(0.7)) {
            const jobs::JobSpec spec = someJob();
            transaction.create(m_fake.pathOf(id), spec.encode());
            for (const auto &[number, job] : m_jobs) {
                if (number > id.number && job.name == spec.name && job.isSingleton && !job.waits && !job.over)
                    m_violations.append(QStringLiteral("%1 was let go before %2 came").arg(number).arg(id.number));
            }
            add(id, spec);
        }
        m_fake.commit(transaction);
    }

    // Its submitter lets no other client read it, for a while.
    void shut(qint32 number)
    {
        const zk::Path path = m_jobs.at(number).path;
        m_fake.setReadable(path, false);
        m_shut.push_back(path);
    }

    void open()
    {
        if (m_shut.empty())
            return;
        if (m_fake.exists(m_shut.front())) // neither ended nor moved
            m_fake.setReadable(m_shut.front(), true);
        m_shut.erase(m_shut.begin());
    }

    void end(qint32 number)
    {
        Job &job = m_jobs.at(number);
        m_fake.commit(zk::Transaction().remove(job.path));
        job.over = true;
    }

    // As everything that gives its node another name.
    void changePriority(qint32 number)
    {
        Job &job = m_jobs.at(number);
        const jobs::QueueEntry entry{jobs::QueueEntry::Class::Ready, m_random.below(10), number};
        const zk::Path path = m_fake.layout.job(Queue, entry);
        if (path == job.path)
            return;
        m_fake.commit(zk::Transaction().remove(job.path).create(path, m_fake.node(job.path).data));
        job.path = path;
    }

    void letGo(qint32 number, Job &job)
    {
        for (const auto &[earlier, other] : m_jobs) {
            if (earlier < number && other.name == job.name && !other.over)
                m_violations.append(QStringLiteral("%1 was let go before %2 had ended").arg(number).arg(earlier));
        }
        job.waits = false;
        ++m_letGo;
    }

    std::vector<qint32> unfinished() const
    {
        std::vector<qint32> numbers;
        for (const auto &[number, job] : m_jobs) {
            if (!job.over)
                numbers.push_back(number);
        }
        return numbers;
    }

    std::vector<qint32> endable() const
    {
        std::vector<qint32> numbers = unfinished();
        std::erase_if(numbers, [this](qint32 number) { return m_jobs.at(number).waits; });
        return numbers;
    }

    static inline const QByteArray Queue = QByteArrayLiteral("default");

    SeededRandom m_random;
    FaultInjector m_faults;
    JobCluster m_fake;
    const bool m_hides;
    int m_who = 0; // the session of the asker
    std::map<qint32, Job> m_jobs;
    std::vector<Reserved> m_reserved;
    std::vector<zk::Path> m_shut;
    QStringList m_violations;
    int m_letGo = 0;
    std::unique_ptr<Asker> m_asker;
};

} // namespace drover::test
