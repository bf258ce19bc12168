#include "jobs/queue_entry.h"

#include "zk/path.h"

#include <algorithm>

namespace drover::jobs {

std::optional<QueueEntry> QueueEntry::parse(const QByteArray &name)
{
    constexpr qsizetype Length = 13; // q5-0000000042
    if (name.size() != Length || (name[0] != 'q' && name[0] != 'w') || name[1] < '0' || name[1] > '9' || name[2] != '-')
        return std::nullopt;
    const std::optional<qint32> number = zk::sequenceOf(name);
    if (!number || *number < 0)
        return std::nullopt;
    return QueueEntry{static_cast<Class>(name[0]), name[1] - '0', *number};
}

QByteArray QueueEntry::name() const
{
    return prefix(jobClass, priority) + QByteArray::number(number).rightJustified(10, '0');
}

QByteArray QueueEntry::prefix(Class jobClass, int priority)
{
    return QByteArray(1, static_cast<char>(jobClass)) + QByteArray::number(priority) + '-';
}

std::vector<QueueEntry> readyInOrder(const QByteArrayList &names)
{
    std::vector<QueueEntry> entries;
    entries.reserve(static_cast<std::size_t>(names.size()));
    for (const QByteArray &name : names) {
        const std::optional<QueueEntry> entry = QueueEntry::parse(name);
        if (entry && entry->jobClass == QueueEntry::Class::Ready)
            entries.push_back(*entry);
    }
    std::sort(entries.begin(), entries.end());
    return entries;
}

} // namespace drover::jobs
