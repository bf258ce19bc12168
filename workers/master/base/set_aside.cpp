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
    m_tried.erase(id);
    m_aside.insert_or_assign(id, Aside{entry, m_loop.now() + For});
    m_troubles.note(subjectOf(id), QStringLiteral("it stays where it is: %1").arg(why));
}

bool SetAside::holds(const JobId &id, const QueueEntry &entry) const
{
    const auto aside = m_aside.find(id);
    return aside != m_aside.end() && aside->second.entry == entry;
}

void SetAside::keepOnly(const QByteArray &queue, const std::set<Named> &present)
{
    std::vector<JobId> gone;
    for (auto next = m_aside.lower_bound(JobId{queue, 0}); next != m_aside.end() && next->first.queue == queue;
         ++next) {
        if (!present.contains({next->first, next->second.entry}))
            gone.push_back(next->first);
    }
    for (auto next = m_tried.lower_bound(JobId{queue, 0}); next != m_tried.end() && next->first.queue == queue;
         ++next) {
        if (!present.contains({next->first, next->second}))
            gone.push_back(next->first);
    }
    for (const JobId &id : gone) {
        m_aside.erase(id);
        m_tried.erase(id);
        m_troubles.clear(subjectOf(id));
    }
}

std::vector<SetAside::Named> SetAside::takeDue()
{
    std::vector<Named> due;
    for (const auto &[id, aside] : m_aside) {
        if (aside.until <= m_loop.now())
            due.emplace_back(id, aside.entry);
    }
    for (const auto &[id, entry] : due) {
        m_aside.erase(id);
        m_tried.insert_or_assign(id, entry);
    }
    return due;
}

void SetAside::succeeded(const JobId &id)
{
    if (m_tried.erase(id) > 0)
        m_troubles.clear(subjectOf(id));
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
