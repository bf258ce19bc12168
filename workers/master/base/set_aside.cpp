#include "workers/master/base/set_aside.h"

#include "workers/master/base/troubles.h"

#include <algorithm>

namespace drover::workers {

using jobs::JobId;
using jobs::QueueEntry;

namespace {

QString subjectOf(const JobId &id)
{
    return QStringLiteral("job %1").arg(id.toString());
}

} // namespace

void SetAside::add(const JobId &id, const QueueEntry &entry, const QString &why)
{
    m_aside.insert_or_assign(id, Aside{entry, m_loop.now() + For});
    m_troubles.note(subjectOf(id), QStringLiteral("it stays where it is: %1").arg(why));
}

bool SetAside::holds(const JobId &id, const QueueEntry &entry) const
{
    const auto aside = m_aside.find(id);
    return aside != m_aside.end() && aside->second.entry == entry;
}

void SetAside::keepOnly(const QByteArray &queue, const std::set<JobId> &present)
{
    for (auto next = m_aside.lower_bound(JobId{queue, 0}); next != m_aside.end() && next->first.queue == queue;) {
        const auto aside = next++;
        if (present.contains(aside->first))
            continue;
        m_troubles.clear(subjectOf(aside->first));
        m_aside.erase(aside);
    }
}

std::vector<SetAside::Named> SetAside::takeDue()
{
    std::vector<Named> due;
    for (auto next = m_aside.begin(); next != m_aside.end();) {
        const auto aside = next++;
        if (aside->second.until > m_loop.now())
            continue;
        due.emplace_back(aside->first, aside->second.entry);
        m_troubles.clear(subjectOf(aside->first));
        m_aside.erase(aside);
    }
    return due;
}

std::optional<async::Duration> SetAside::untilNext() const
{
    std::optional<async::Duration> next;
    for (const auto &[id, aside] : m_aside) {
        const async::Duration wait = std::max<async::Duration>(aside.until - m_loop.now(), {});
        next = std::min(next.value_or(wait), wait);
    }
    return next;
}

} // namespace drover::workers
