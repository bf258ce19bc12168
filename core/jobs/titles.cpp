#include "jobs/titles.h"

#include "jobs/job_spec.h"

namespace drover::jobs {

std::vector<QueueEntry> jobsUpTo(const QByteArrayList &names, qint32 last)
{
    std::vector<QueueEntry> entries;
    for (const QByteArray &name : names) {
        const std::optional<QueueEntry> entry = QueueEntry::parse(name);
        if (entry && entry->task == JobId::NoTask && entry->number <= last)
            entries.push_back(*entry);
    }
    return entries;
}

QString titleIn(const QByteArray &stored, const QByteArray &queue)
{
    try {
        return JobSpec::decode(stored, queue, 0).title();
    } catch (const Malformed &) {
        return {};
    }
}

} // namespace drover::jobs
