#include "gui/feeds/job_table.h"

#include "jobs/model/array_progress.h"
#include "jobs/model/final_record.h"

#include <QCoreApplication>
#include <QMap>

#include <algorithm>

namespace drover::gui {

using jobs::JobId;
using jobs::JobState;
using jobs::QueueEntry;

namespace {

// Throws Malformed.
void describeProgress(JobRow &row, const zk::Node &node, const jobs::ArrayIndices &indices)
{
    const jobs::ArrayProgress progress = jobs::ArrayProgress::of(node.data, indices);
    row.attempt = progress.begun() ? 1 : 0;
    row.note = progress.toString(indices.count());
    if (progress.begun()) {
        row.state = JobState::Running;
        row.since = progress.begunAt.count();
    }
}

void describeSpec(JobRow &row, const zk::Node &node, int priority)
{
    row.attempt = node.stat.version;
    row.since = node.stat.ctime;
    try {
        const jobs::JobSpec spec = jobs::JobSpec::decode(node.data, row.id.queue, priority);
        row.attempt = spec.attempts(node.stat.version).number();
        row.name = spec.title();
        row.command = spec.command;
        row.comment = spec.comment;
        if (spec.array)
            describeProgress(row, node, *spec.array);
    } catch (const jobs::Malformed &error) {
        row.note = QString::fromUtf8(error.what());
    }
}

QString commentOf(const jobs::FinalRecord &record)
{
    try {
        const std::optional<jobs::JobSpec> job = record.jobToResubmit();
        return job ? job->comment : QString();
    } catch (const jobs::Malformed &) {
        return {}; // the rest of the record can be read
    }
}

void describeRecord(JobRow &row, const zk::Node &node)
{
    row.since = node.stat.ctime;
    row.state = JobState::Failed;
    try {
        const jobs::FinalRecord record = jobs::FinalRecord::decode(node.data, row.id);
        row.state = record.state();
        row.name = record.name;
        row.command = record.command;
        row.worker = record.worker;
        row.attempt = record.attempts.number();
        row.note = record.reason;
        row.comment = commentOf(record);
        if (record.startedAt.count() != 0)
            row.exitCode = record.exitCode();
    } catch (const jobs::Malformed &error) {
        row.note = QString::fromUtf8(error.what());
    }
}

qint64 &countOf(JobsSnapshot &snapshot, JobState state)
{
    switch (state) {
    case JobState::Held:
        return snapshot.held;
    case JobState::Waiting:
        return snapshot.waiting;
    case JobState::Ready:
        return snapshot.ready;
    case JobState::Running:
        return snapshot.running;
    case JobState::Succeeded:
    case JobState::Failed:
    case JobState::Cancelled:
        break;
    }
    return snapshot.ended;
}

} // namespace

void JobTable::setQueues(const QByteArrayList &names)
{
    std::erase_if(m_queues, [&](const auto &queue) { return !names.contains(queue.first); });
    for (const QByteArray &name : names)
        m_queues.try_emplace(name);
}

void JobTable::setQueue(const QByteArray &queue, const QByteArrayList &names)
{
    std::vector<QueueEntry> &entries = m_queues[queue];
    entries.clear();
    for (const QByteArray &name : names) {
        const std::optional<QueueEntry> entry = QueueEntry::parse(name);
        if (!entry)
            continue;
        entries.push_back(*entry);
        if (entry->jobClass == QueueEntry::Class::Array)
            m_unfinished.remove(entry->idIn(queue)); // its tasks come and go: read how far it is
    }
}

void JobTable::setClaims(QHash<JobId, ClaimRead> claims)
{
    // A claim that has gone leaves a job that ended or is tried again, with another count of attempts: read it anew.
    for (auto claim = m_claims.cbegin(); claim != m_claims.cend(); ++claim) {
        if (!claims.contains(claim.key()))
            m_unfinished.remove(claim.key());
    }
    m_claims = std::move(claims);
}

void JobTable::setDone(const QByteArrayList &names)
{
    m_done.clear();
    for (const QByteArray &name : names) {
        if (const std::optional<JobId> id = JobId::parse(QString::fromUtf8(name)))
            m_done.push_back(*id);
    }
    std::sort(m_done.begin(), m_done.end(), [](const JobId &a, const JobId &b) {
        return a.inQueue() != b.inQueue() ? a.inQueue() > b.inQueue() : a.queue < b.queue;
    });
}

void JobTable::arrange()
{
    // The listings are of different moments: a job seen both in its queue and in done/ has ended.
    const QSet<JobId> ended(m_done.begin(), m_done.end());
    std::vector<Shown> running;
    std::vector<Shown> queued;
    m_arrays.clear();
    m_counts = {};
    for (const auto &[queue, entries] : m_queues) {
        for (const QueueEntry &entry : entries) {
            const JobId id = entry.idIn(queue);
            if (ended.contains(id))
                continue;
            if (entry.jobClass == QueueEntry::Class::Array)
                m_arrays.push_back(Shown{id, entry});
            else
                ++countOf(m_counts, stateOf(id, entry));
            (m_claims.contains(id) ? running : queued).push_back(Shown{id, entry});
        }
    }
    const std::size_t reserved = std::min(m_done.size(), MaxEnded);
    const std::size_t room = MaxRows - reserved;
    const auto sooner = [](const Shown &a, const Shown &b) {
        return std::tie(*a.entry, a.id.queue) < std::tie(*b.entry, b.id.queue);
    };
    const std::size_t fits = std::min(queued.size(), room - std::min(room, running.size()));
    std::partial_sort(queued.begin(), queued.begin() + std::ptrdiff_t(fits), queued.end(), sooner);
    queued.resize(fits);

    m_shown = std::move(running);
    m_shown.resize(std::min(m_shown.size(), room));
    m_shown.insert(m_shown.end(), queued.begin(), queued.end());
    for (std::size_t i = 0; i < m_done.size() && m_shown.size() < MaxRows; ++i)
        m_shown.push_back(Shown{m_done[i], {}});

    QSet<JobId> unfinishedShown;
    QSet<JobId> endedShown;
    for (const Shown &shown : m_shown)
        (shown.entry ? unfinishedShown : endedShown).insert(shown.id);
    m_unfinished.removeIf([&](const auto &row) { return !unfinishedShown.contains(row.key()); });
    m_ended.removeIf([&](const auto &row) { return !endedShown.contains(row.key()); });
}

std::vector<JobTable::Unread> JobTable::unread(const jobs::Layout &layout, std::size_t limit) const
{
    std::vector<Unread> list;
    for (const Shown &shown : m_shown) {
        if (list.size() == limit)
            break;
        if (shown.entry && !m_unfinished.contains(shown.id))
            list.push_back({shown.id, layout.job(shown.id.queue, *shown.entry), false, shown.entry->priority});
        else if (!shown.entry && !m_ended.contains(shown.id))
            list.push_back({shown.id, layout.done(shown.id), true, 0});
    }
    return list;
}

void JobTable::read(const Unread &what, const zk::Node &node)
{
    JobRow row;
    row.id = what.id;
    row.loaded = true;
    row.priority = what.priority;
    if (what.ended)
        describeRecord(row, node);
    else
        describeSpec(row, node, what.priority);
    (what.ended ? m_ended : m_unfinished).insert(what.id, row);
}

JobState JobTable::stateOf(const JobId &id, const QueueEntry &entry) const
{
    const auto claim = m_claims.find(id);
    if (claim != m_claims.end())
        return claim->claim.state();
    const auto read = m_unfinished.find(id);
    const bool hasBegun = read != m_unfinished.end() && read->state == JobState::Running; // an array
    return hasBegun ? JobState::Running : jobs::unclaimedState(entry.jobClass);
}

JobRow JobTable::rowOf(const Shown &shown) const
{
    JobRow row;
    row.id = shown.id;
    if (!shown.entry) {
        row.state = JobState::Succeeded; // or not: endUnknown()
        return m_ended.value(shown.id, row);
    }
    row = m_unfinished.value(shown.id, row);
    row.priority = shown.entry->priority;
    row.state = stateOf(shown.id, *shown.entry);
    const auto claim = m_claims.find(shown.id);
    if (claim != m_claims.end()) {
        row.since = claim->since;
        row.worker = claim->claim.worker;
        row.attempt = claim->claim.attempts.number();
        if (!claim->malformed.isEmpty())
            row.note = claim->malformed;
        else if (claim->claim.cancelled)
            row.note = QCoreApplication::translate("drover::gui::JobTable", "cancelled; its worker is ending it");
        else if (claim->claim.prefetched)
            row.note = QCoreApplication::translate("drover::gui::JobTable", "claimed for the next free slot");
        else if (!claim->claim.waits.isEmpty())
            row.note = QCoreApplication::translate("drover::gui::JobTable", "waits for %1").arg(claim->claim.waits);
    }
    return row;
}

JobsSnapshot JobTable::snapshot() const
{
    JobsSnapshot snapshot = m_counts;
    for (const Shown &array : m_arrays)
        ++countOf(snapshot, stateOf(array.id, *array.entry));
    snapshot.ended = qint64(m_done.size());
    snapshot.rows.reserve(qsizetype(m_shown.size()));
    for (const Shown &shown : m_shown)
        snapshot.rows.append(rowOf(shown));
    return snapshot;
}

QList<QueueDepth> JobTable::depths() const
{
    QList<QueueDepth> depths;
    for (const auto &[queue, entries] : m_queues)
        depths.append(QueueDepth{queue, qint64(entries.size())});
    return depths;
}

QMap<QString, WorkerLoad> JobTable::loads() const
{
    QMap<QString, WorkerLoad> loads;
    for (auto claim = m_claims.cbegin(); claim != m_claims.cend(); ++claim) {
        if (!claim->claim.takesSlots())
            continue;
        WorkerLoad &load = loads[claim->claim.worker];
        load.jobs.append(claim.key().toString());
        load.slotCount += claim->claim.slotCount;
    }
    for (WorkerLoad &load : loads)
        std::sort(load.jobs.begin(), load.jobs.end());
    return loads;
}

} // namespace drover::gui
