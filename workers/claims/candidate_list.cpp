#include "workers/claims/candidate_list.h"

#include "jobs/model/job_spec.h"
#include "text/hash.h"

#include <algorithm>
#include <array>

namespace drover::workers {

using jobs::QueueEntry;

namespace {

// 64 bits that differ for each pair, and are equal in every process and build.
quint64 weight(const QByteArray &member, const QByteArray &queue, qint64 job)
{
    std::array<char, 8> number{};
    for (std::size_t i = 0; i < number.size(); ++i)
        number[i] = static_cast<char>(static_cast<quint64>(job) >> (8 * i));
    const quint64 names =
        text::hashOf({queue.data(), std::size_t(queue.size())},
                     text::hashOf({"", 1}, text::hashOf({member.data(), std::size_t(member.size())})));
    return text::mixed(text::hashOf({number.data(), number.size()}, names));
}

bool belongsTo(const QByteArray &worker, const QByteArrayList &members, const QByteArray &queue, qint64 job)
{
    const quint64 mine = weight(worker, queue, job);
    return std::none_of(members.begin(), members.end(), [&](const QByteArray &member) {
        return member != worker && weight(member, queue, job) > mine;
    });
}

} // namespace

CandidateList::CandidateList(const QByteArray &queue, const QByteArrayList &names, const QSet<qint64> &taken,
                             const QByteArray &worker, const QByteArrayList &members)
{
    for (const QueueEntry &entry : jobs::readyInOrder(names)) {
        const qint64 job = entry.idIn(queue).inQueue();
        if (taken.contains(job))
            continue;
        (belongsTo(worker, members, queue, job) ? m_own : m_others).push_back(entry);
    }
}

std::vector<QueueEntry> CandidateList::take(std::size_t count)
{
    std::vector<QueueEntry> taken;
    const auto first = [](const std::deque<QueueEntry> &part) {
        return part.empty() ? jobs::JobSpec::MaxPriority + 1 : part.front().priority;
    };
    const int priority = std::min(first(m_own), first(m_others));
    while (taken.size() < count && !m_own.empty() && m_own.front().priority == priority) {
        taken.push_back(m_own.front());
        m_own.pop_front();
    }
    const auto end = std::find_if(m_others.begin(), m_others.end(),
                                  [priority](const QueueEntry &entry) { return entry.priority != priority; });
    const auto stolen = std::min(static_cast<std::ptrdiff_t>(count - taken.size()), end - m_others.begin());
    taken.insert(taken.end(), end - stolen, end);
    m_others.erase(end - stolen, end);
    return taken;
}

void CandidateList::putBack(const std::vector<QueueEntry> &entries)
{
    if (entries.empty())
        return;
    const auto isNotBefore = [&entries](const QueueEntry &other) { return other.priority >= entries.front().priority; };
    m_own.insert(std::find_if(m_own.begin(), m_own.end(), isNotBefore), entries.begin(), entries.end());
}

} // namespace drover::workers
