#include "workers/backlog.h"

#include <algorithm>

namespace drover::workers {

using jobs::QueueEntry;

namespace {

// 64 bits that differ for each pair, the same in every process and build (FNV-1a, and a final mix by splitmix64's).
quint64 weight(const QByteArray &member, const QByteArray &queue, qint64 job)
{
    quint64 hash = 0xcbf29ce484222325;
    const auto add = [&hash](unsigned char byte) {
        hash ^= byte;
        hash *= 0x100000001b3;
    };
    for (const char c : member)
        add(static_cast<unsigned char>(c));
    add(0);
    for (const char c : queue)
        add(static_cast<unsigned char>(c));
    for (int shift = 0; shift < 64; shift += 8)
        add(static_cast<unsigned char>(static_cast<quint64>(job) >> shift));
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    return hash ^ (hash >> 31);
}

bool belongsTo(const QByteArray &worker, const QByteArrayList &members, const QByteArray &queue, qint64 job)
{
    const quint64 mine = weight(worker, queue, job);
    return std::none_of(members.begin(), members.end(), [&](const QByteArray &member) {
        return member != worker && weight(member, queue, job) > mine;
    });
}

} // namespace

Backlog::Backlog(const QByteArray &queue, const QByteArrayList &names, const QSet<qint64> &taken,
                 const QByteArray &worker, const QByteArrayList &members)
{
    for (const QueueEntry &entry : jobs::readyInOrder(names)) {
        const qint64 job = entry.idIn(queue).inQueue();
        if (taken.contains(job))
            continue;
        (belongsTo(worker, members, queue, job) ? m_own : m_others).push_back(entry);
    }
}

std::vector<QueueEntry> Backlog::take(std::size_t count)
{
    std::vector<QueueEntry> taken;
    const auto first = [](const std::deque<QueueEntry> &part) { return part.empty() ? 10 : part.front().priority; };
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

} // namespace drover::workers
