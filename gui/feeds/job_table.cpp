#include "gui/feeds/job_table.h"

#include "gui/rows/job_rows.h"

#include <QMap>

#include <algorithm>

namespace drover::gui {

using jobs::JobId;
using jobs::JobState;
using jobs::QueueEntry;

namespace {

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
    std::erase_if(m_settings, [&](const auto &queue) { return !names.contains(queue.first); });
    std::erase_if(m_flows, [&](const auto &queue) { return !names.contains(queue.first); });
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
    m_flows[queue].see(queue, entries);
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

bool JobTable::setDone(const QByteArrayList &names)
{
    const std::vector<JobId> before = std::exchange(m_done, {});
    for (const QByteArray &name : names) {
        if (const std::optional<JobId> id = JobId::parse(QString::fromUtf8(name)))
            m_done.push_back(*id);
    }
    std::sort(m_done.begin(), m_done.end(), [](const JobId &a, const JobId &b) {
        return a.inQueue() != b.inQueue() ? a.inQueue() > b.inQueue() : a.queue < b.queue;
    });
    const QSet<JobId> now(m_done.begin(), m_done.end());
    return std::any_of(before.begin(), before.end(), [&](const JobId &id) { return !now.contains(id); });
}

void JobTable::setPast(const PastSnapshot &past)
{
    m_past = past;
    m_pastRows.clear();
    for (const JobRow &row : past.rows)
        m_pastRows.insert(row.id, row);
}

void JobTable::search(const jobs::JobFilter &filter)
{
    m_filter = filter;
    m_found.clear();
    m_searched.clear();
}

void JobTable::arrange()
{
    // The listings are of different moments: a job seen both in its queue and in done/ has ended.
    const QSet<JobId> ended(m_done.begin(), m_done.end());
    std::vector<Shown> running;
    std::vector<Shown> queued;
    m_arrays.clear();
    m_counts = {};
    m_counts.past = m_past.count;
    m_counts.pastWalk = m_past.walk;
    m_counts.pastRead = m_past.read;
    m_counts.pastTrouble = m_past.trouble;
    m_counts.pastSearched = m_past.searched;
    m_counts.pastGoesOn = m_past.goesOn;
    m_counts.pastHasMore = m_past.hasMore;
    m_counts.pastIsFull = m_past.isFull;
    m_counts.pastDropped = m_past.dropped;
    m_counts.pastFirst = m_past.first;
    m_counts.pastLast = m_past.last;
    m_counts.pastQuestion = m_past.question;
    for (const auto &[queue, entries] : m_queues) {
        for (const QueueEntry &entry : entries) {
            const JobId id = entry.idIn(queue);
            if (ended.contains(id))
                continue;
            if (entry.jobClass == QueueEntry::Class::Array)
                m_arrays.push_back(Shown{id, entry});
            else
                ++countOf(m_counts, stateOf(id, entry));
            (m_claims.contains(id) ? running : queued).push_back(Shown{id, entry, isWanted(id)});
        }
    }
    const std::size_t reserved = std::min(m_done.size() + std::size_t(m_past.rows.size()), MaxEnded);
    const std::size_t room = MaxRows - reserved;
    const auto sooner = [](const Shown &a, const Shown &b) {
        return std::tie(b.wanted, *a.entry, a.id.queue) < std::tie(a.wanted, *b.entry, b.id.queue);
    };
    const std::size_t fits = std::min(queued.size(), room - std::min(room, running.size()));
    std::partial_sort(queued.begin(), queued.begin() + std::ptrdiff_t(fits), queued.end(), sooner);
    queued.resize(fits);

    m_shown = std::move(running);
    m_shown.resize(std::min(m_shown.size(), room));
    m_shown.insert(m_shown.end(), queued.begin(), queued.end());
    // Once more of the history than is shown at first was asked for, all of it is there. A search looks through the
    // whole of it: then those that it has found come first, as do the first in an order that the user has chosen.
    const std::size_t pastRows(m_past.rows.size());
    const bool isScrolled = pastRows > MaxEnded;
    const std::size_t limit = MaxRows + (isScrolled ? pastRows : 0);
    const bool isAll = isScrolled || !m_filter.isEmpty() || m_order != JobOrder{};
    const std::size_t kept = std::min(isAll ? pastRows : 0, limit - m_shown.size());
    QSet<JobId> inDone; // and in the table
    for (std::size_t i = 0; i < m_done.size() && m_shown.size() + kept < limit; ++i) {
        m_shown.push_back(Shown{m_done[i], {}});
        inDone.insert(m_done[i]);
    }
    for (const JobRow &past : std::as_const(m_past.rows)) {
        if (m_shown.size() == limit || inDone.contains(past.id) || isOfEarlierCluster(past))
            continue; // the master has not removed it yet
        m_shown.push_back(Shown{past.id, {}});
        ++m_counts.pastRows;
    }

    findOldest();
    QSet<JobId> unfinishedShown;
    QSet<JobId> endedShown;
    for (const Shown &shown : m_shown)
        (shown.entry ? unfinishedShown : endedShown).insert(shown.id);
    m_unfinished.removeIf([&](const auto &row) { return !unfinishedShown.contains(row.key()); });
    m_ended.removeIf([&](const auto &row) { return !endedShown.contains(row.key()); });
}

// A cluster that is deleted and created again gives the same ids to other jobs. The listing of a queue may be older
// than the history, so a job that was submitted before that end is the one that ended.
bool JobTable::isOfEarlierCluster(const JobRow &past) const
{
    const auto unfinished = m_unfinished.find(past.id);
    return unfinished != m_unfinished.end() && unfinished->since > past.since;
}

void JobTable::findOldest()
{
    const std::map<QByteArray, Oldest> before = std::exchange(m_oldest, {});
    for (const auto &[queue, entries] : m_queues) {
        const QueueEntry *oldest = nullptr;
        for (const QueueEntry &entry : entries) {
            const bool isOlder = !oldest || entry.idIn(queue) < oldest->idIn(queue);
            if (isOlder && entry.jobClass != QueueEntry::Class::Array
                && stateOf(entry.idIn(queue), entry) == JobState::Ready)
                oldest = &entry;
        }
        if (!oldest)
            continue;
        const auto known = before.find(queue);
        const bool isSame = known != before.end() && known->second.entry.name() == oldest->name();
        const JobId id = oldest->idIn(queue);
        m_oldest[queue] = {*oldest, isSame ? known->second.since : m_unfinished.value(id).since};
    }
}

std::vector<JobTable::Unread> JobTable::unread(const jobs::Layout &layout, std::size_t limit) const
{
    std::vector<Unread> list;
    for (const Shown &shown : m_shown) {
        if (list.size() == limit)
            break;
        if (shown.entry && !m_unfinished.contains(shown.id))
            list.push_back({shown.id, layout.job(shown.id.queue, *shown.entry), false, shown.entry->priority});
        else if (!shown.entry && !m_ended.contains(shown.id) && !m_pastRows.contains(shown.id))
            list.push_back({shown.id, layout.done(shown.id), true, 0});
    }
    for (const auto &[queue, oldest] : m_oldest) {
        const JobId id = oldest.entry.idIn(queue);
        const bool isListed =
            std::any_of(list.begin(), list.end(), [&id](const Unread &what) { return what.id == id && !what.ended; });
        if (oldest.since == 0 && !isListed)
            list.push_back({id, layout.job(queue, oldest.entry), false, oldest.entry.priority});
    }
    return list;
}

std::vector<JobTable::Unread> JobTable::unsearched(const jobs::Layout &layout, std::size_t limit) const
{
    std::vector<Unread> list;
    if (m_filter.isEmpty() || m_filter.since || m_filter.until)
        return list; // what has not ended fits no time
    for (const auto &[queue, entries] : m_queues) {
        for (const QueueEntry &entry : entries) {
            if (list.size() == limit)
                return list;
            const JobId id = entry.idIn(queue);
            if (!m_unfinished.contains(id) && !m_searched.contains(id) && !m_found.contains(id))
                list.push_back({id, layout.job(queue, entry), false, entry.priority});
        }
    }
    return list;
}

void JobTable::searched(const Unread &what, const zk::Answer<zk::Node> &node)
{
    JobRow seed;
    seed.id = what.id;
    if (node.ok() && m_found.size() < MaxFound && unfinishedRow(seed, *node, what.priority).fits(m_filter))
        m_found.insert(what.id);
    else
        m_searched.insert(what.id);
}

std::vector<std::pair<JobId, QueueEntry>> JobTable::unclaimed(std::size_t limit) const
{
    std::vector<std::pair<JobId, QueueEntry>> list;
    for (const Shown &shown : m_shown) {
        if (list.size() == limit)
            break;
        if (awaitsWorker(shown))
            list.emplace_back(shown.id, *shown.entry);
    }
    return list;
}

bool JobTable::setReasons(const QHash<JobId, QString> &reasons)
{
    return std::exchange(m_reasons, reasons) != reasons;
}

// So do the tasks of an array that has begun.
bool JobTable::awaitsWorker(const Shown &shown) const
{
    if (!shown.entry || m_claims.contains(shown.id))
        return false;
    const JobState state = stateOf(shown.id, *shown.entry);
    return state == JobState::Ready || state == JobState::Running;
}

bool JobTable::isWanted(const JobId &id) const
{
    return m_found.contains(id)
        || (!m_filter.words.isEmpty() && id.toString().contains(m_filter.words, Qt::CaseInsensitive));
}

void JobTable::read(const Unread &what, const zk::Node &node)
{
    JobRow seed;
    seed.id = what.id;
    if (what.ended) {
        m_ended.insert(what.id, endedRow(seed, node));
        return;
    }
    const JobRow row = unfinishedRow(seed, node, what.priority);
    m_unfinished.insert(what.id, row);
    const auto oldest = m_oldest.find(what.id.queue);
    if (oldest != m_oldest.end() && oldest->second.entry.idIn(what.id.queue) == what.id)
        oldest->second.since = row.since;
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
        return m_ended.value(shown.id, m_pastRows.value(shown.id, row));
    }
    row = m_unfinished.value(shown.id, row);
    row.priority = shown.entry->priority;
    row.state = stateOf(shown.id, *shown.entry);
    const auto claim = m_claims.find(shown.id);
    if (awaitsWorker(shown)) {
        const bool isKept = row.state == JobState::Ready && isPaused(shown.id.queue);
        row.waits = isKept ? waitsForQueue(m_settings.at(shown.id.queue)) : m_reasons.value(shown.id);
    }
    if (claim != m_claims.end()) {
        row.since = claim->since;
        row.worker = claim->claim.worker;
        row.attempt = claim->claim.attempts.number();
        row.waits = waitsAtWorker(claim->claim);
        const QString note = claim->malformed.isEmpty() ? noteOn(claim->claim) : claim->malformed;
        if (!note.isEmpty())
            row.note = note;
    }
    return row;
}

JobsSnapshot JobTable::snapshot() const
{
    JobsSnapshot snapshot = m_counts;
    for (const Shown &array : m_arrays)
        ++countOf(snapshot, stateOf(array.id, *array.entry));
    const qint64 inBoth =
        std::count_if(m_done.begin(), m_done.end(), [&](const JobId &id) { return m_pastRows.contains(id); });
    snapshot.ended = qint64(m_done.size()) + std::max<qint64>(0, snapshot.past - inBoth);
    snapshot.failedLately = m_past.failedLately;
    snapshot.searched = m_filter.since || m_filter.until
        ? snapshot.running + snapshot.ready + snapshot.waiting + snapshot.held
        : m_searched.size();
    snapshot.rows.reserve(qsizetype(m_shown.size()));
    for (const Shown &shown : m_shown)
        snapshot.rows.append(rowOf(shown));
    return snapshot;
}

QList<JobId> JobTable::failedSince(std::chrono::milliseconds begin) const
{
    QList<JobId> failed;
    for (const JobId &id : m_done) {
        const auto row = m_ended.find(id);
        if (row != m_ended.end() && row->state == JobState::Failed && !id.isTask() && row->since >= begin.count())
            failed.append(id);
    }
    return failed;
}

bool JobTable::isPaused(const QByteArray &queue) const
{
    const auto settings = m_settings.find(queue);
    return settings != m_settings.end() && settings->second.paused;
}

QueueDepth JobTable::depthOf(const QByteArray &queue, const std::vector<QueueEntry> &entries) const
{
    QueueDepth depth{queue, qint64(entries.size()), {}, 0};
    depth.waiting = 0;
    for (const QueueEntry &entry : entries) {
        const JobState state = stateOf(entry.idIn(queue), entry);
        const bool isArray = entry.jobClass == QueueEntry::Class::Array; // what runs of it is its tasks
        depth.running += state == JobState::Running && !isArray ? 1 : 0;
        depth.ready += state == JobState::Ready ? 1 : 0;
        depth.waiting += state == JobState::Waiting || state == JobState::Held ? 1 : 0;
    }
    if (const auto flow = m_flows.find(queue); flow != m_flows.end()) {
        depth.came = flow->second.came();
        depth.left = flow->second.left();
    }
    if (const auto oldest = m_oldest.find(queue); oldest != m_oldest.end())
        depth.oldestReady = oldest->second.since;
    const auto settings = m_settings.find(queue);
    if (settings == m_settings.end())
        return depth;
    depth.limit = settings->second.limit;
    if (settings->second.paused)
        depth.paused = pauseText(settings->second);
    return depth;
}

QList<QueueDepth> JobTable::depths() const
{
    QList<QueueDepth> depths;
    for (const auto &[queue, entries] : m_queues)
        depths.append(depthOf(queue, entries));
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
