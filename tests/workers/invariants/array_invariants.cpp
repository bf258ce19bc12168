#include "workers/invariants/array_invariants.h"

namespace drover::test {

QString ArrayInvariants::onTaskMade(const jobs::JobId &id, const jobs::JobSpec &spec)
{
    if (spec.gang == 0)
        m_arrays[id.array()] = spec.arrayCount;
    if (m_tasks.contains(id))
        return QStringLiteral("%1 was made twice").arg(id.toString());
    m_tasks.insert(id);
    if (m_cancelled.contains(id.array()))
        return QStringLiteral("%1 was made for an array that has been cancelled").arg(id.toString());
    if (m_skipped[id.array()].contains(id.task))
        return QStringLiteral("%1 was made after it had been cancelled").arg(id.toString());
    return {};
}

QString ArrayInvariants::onStored(const jobs::JobId &id, const QByteArray &data, bool begun)
{
    const jobs::JobSpec spec = jobs::JobSpec::decode(data, id.queue, 0);
    if (!spec.array)
        return {};
    for (const auto &[first, last] : jobs::ArrayProgress::of(data, *spec.array).skipped) {
        for (qint32 place = first; place <= last; ++place)
            m_skipped[id].insert(spec.array->at(place));
    }
    if (m_cancelled.contains(id) && !spec.notes.cancelled)
        return QStringLiteral("%1 was cancelled, and that was forgotten").arg(id.toString());
    if (begun && spec.notes.cancelled)
        m_cancelled.insert(id);
    return {};
}

void ArrayInvariants::onTaskDeleted(const jobs::JobId &id)
{
    constexpr int NoExitCode = 125;
    m_counts[id.array()].count(0, true, NoExitCode);
}

QString ArrayInvariants::onTaskDone(const jobs::FinalRecord &record)
{
    m_counts[record.id.array()].count(0, record.state() == jobs::JobState::Cancelled, record.exitCode());
    if (!m_tasks.contains(record.id))
        return QStringLiteral("%1 was made by no array").arg(record.id.toString());
    return {};
}

QString ArrayInvariants::onDone(const jobs::FinalRecord &record)
{
    const auto array = m_arrays.find(record.id);
    if (array == m_arrays.end())
        return {};
    const qint32 count = array->second;
    const auto skipped = static_cast<qint32>(m_skipped[record.id].size());
    const bool cancelled = record.state() == jobs::JobState::Cancelled;
    jobs::ArrayProgress expected = m_counts[record.id];
    expected.cancelled += cancelled ? count - expected.counted() : skipped;
    ++m_done;
    m_cancelledOnTheirWay += cancelled;
    m_withSkipped += skipped > 0;
    if (expected.counted() != count || record.reason != expected.summary(count))
        return QStringLiteral("%1 ended with \"%2\", its tasks with \"%3\"")
            .arg(record.id.toString(), record.reason, expected.summary(count));
    return {};
}

} // namespace drover::test
