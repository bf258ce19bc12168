#include "app/doctor/queue_checks.h"

#include "app/units.h"
#include "jobs/count_text.h"
#include "jobs/crew.h"
#include "jobs/job_lookup.h"

#include <algorithm>

namespace drover::app {

using jobs::JobId;
using jobs::JobView;
using jobs::QueueEntry;
using Level = Finding::Level;
using zk::Answer;

namespace {

constexpr qsizetype MostJobs = 64; // of a queue

async::Task<std::vector<JobView>> firstReady(zk::Coordinator &zk, jobs::Layout layout, QByteArray queue)
{
    const Answer<zk::Children> names = co_await zk.children(layout.queue(queue));
    std::vector<std::pair<JobId, QueueEntry>> entries;
    for (const QueueEntry &entry : jobs::readyInOrder(names->names)) {
        if (entries.size() < MostJobs)
            entries.emplace_back(entry.idIn(queue), entry);
    }
    std::vector<JobView> jobs = co_await jobs::readEntries(zk, layout, std::move(entries));
    co_return jobs;
}

} // namespace

async::Task<Findings> findStuckJobs(zk::Coordinator &zk, jobs::Layout layout, QByteArrayList queues)
{
    Findings findings;
    const jobs::Crew crew = co_await jobs::readCrew(zk, layout);
    for (const QByteArray &queue : queues) {
        const QString name = QString::fromUtf8(queue);
        const bool isServed = std::any_of(crew.members.begin(), crew.members.end(),
                                          [&](const auto &member) { return member.info.queues.contains(name); });
        if (!isServed)
            continue;
        const std::vector<JobView> ready = co_await firstReady(zk, layout, queue);
        qint64 stuck = 0;
        std::optional<jobs::Reason> why;
        QString first;
        for (const JobView &job : ready) {
            const auto unfit = job.spec && !job.claim ? jobs::whyUnfit(crew, *job.spec) : std::nullopt;
            if (!unfit || ++stuck > 1)
                continue;
            why = unfit;
            first = job.id.toString();
        }
        if (why)
            findings.append({Level::Problem, QStringLiteral("queue ") + name,
                             QStringLiteral("no worker can ever run %1, beginning with %2: %3")
                                 .arg(jobs::formatCount(stuck, "of its jobs", "of its jobs"), first, why->what),
                             why->advice.isEmpty() ? QStringLiteral("drover why %1").arg(first) : why->advice});
    }
    co_return findings;
}

} // namespace drover::app
