#include "jobs/model/queue_entry.h"

#include "zk/path.h"

#include <algorithm>

namespace drover::jobs {

namespace {

constexpr QByteArrayView Classes("qwha");

} // namespace

std::vector<QueueEntry> QueueEntry::candidates(const JobId &id)
{
    std::vector<QueueEntry> entries;
    for (const char letter : Classes) {
        for (int priority = 0; priority <= 9; ++priority)
            entries.push_back({static_cast<Class>(letter), priority, id.number, id.task});
    }
    return entries;
}

std::vector<QueueEntry> QueueEntry::likely(const JobId &id)
{
    std::vector<QueueEntry> entries;
    for (const char letter : Classes)
        entries.push_back({static_cast<Class>(letter), DefaultPriority, id.number, id.task});
    return entries;
}

std::optional<QueueEntry> QueueEntry::parse(const QByteArray &name)
{
    constexpr qsizetype Length = 13; // q5-0000000042
    if (name.size() < Length || !Classes.contains(name[0]) || name[1] < '0' || name[1] > '9' || name[2] != '-')
        return std::nullopt;
    const std::optional<qint32> number = zk::sequenceOf(name.first(Length));
    std::optional<qint32> task = JobId::NoTask;
    if (name.size() > Length)
        task = name[Length] == '.' ? parseNumber(QString::fromLatin1(name.mid(Length + 1))) : std::nullopt;
    if (!number || *number < 0 || !task)
        return std::nullopt;
    return QueueEntry{static_cast<Class>(name[0]), name[1] - '0', *number, *task};
}

QByteArray QueueEntry::name() const
{
    const QByteArray job = prefix(jobClass, priority) + QByteArray::number(number).rightJustified(10, '0');
    return task == JobId::NoTask ? job : job + '.' + QByteArray::number(task);
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
