#include "workers/master/base/set_aside.h"

#include "workers/master/base/troubles.h"

#include <algorithm>

namespace drover::workers {

using jobs::JobId;
using jobs::QueueEntry;

void SetAside::add(const JobId &id, const QueueEntry &entry, const QString &why)
{
    Aside &aside = m_jobs[id];
    if (!aside.until || aside.entry != entry)
        aside = {entry, m_loop.now() + m_pause};
    m_troubles.note(m_subject.arg(id.toString()), QStringLiteral("it stays where it is: %1").arg(why), m_subject);
}

bool SetAside::holds(const JobId &id, const QueueEntry &entry) const
{
    const auto job = m_jobs.find(id);
    return job != m_jobs.end() && job->second.until && job->second.entry == entry;
}

bool SetAside::holds(const JobId &id) const
{
    const auto job = m_jobs.find(id);
    return job != m_jobs.end() && job->second.until;
}

void SetAside::keepOnly(const QByteArray &queue, const std::set<Named> &present)
{
    std::vector<JobId> gone;
    for (auto job = m_jobs.lower_bound(JobId{queue, 0}); job != m_jobs.end() && job->first.queue == queue; ++job) {
        if (!present.contains({job->first, job->second.entry}))
            gone.push_back(job->first);
    }
    for (const JobId &id : gone)
        remove(id);
}

void SetAside::keepOnly(const std::set<JobId> &present)
{
    std::vector<JobId> gone;
    for (const auto &[id, aside] : m_jobs) {
        if (!present.contains(id))
            gone.push_back(id);
    }
    for (const JobId &id : gone)
        remove(id);
}

std::vector<SetAside::Named> SetAside::takeDue()
{
    std::vector<Named> due;
    for (auto &[id, aside] : m_jobs) {
        if (!aside.until || *aside.until > m_loop.now())
            continue;
        aside.until.reset();
        due.emplace_back(id, aside.entry);
    }
    return due;
}

void SetAside::remove(const JobId &id)
{
    if (m_jobs.erase(id) > 0)
        m_troubles.clear(m_subject.arg(id.toString()));
}

std::optional<async::Duration> SetAside::untilNext() const
{
    std::optional<async::Duration> next;
    for (const auto &[id, aside] : m_jobs) {
        if (!aside.until)
            continue;
        const async::Duration wait = std::max<async::Duration>(*aside.until - m_loop.now(), {});
        next = std::min(next.value_or(wait), wait);
    }
    return next;
}

} // namespace drover::workers
