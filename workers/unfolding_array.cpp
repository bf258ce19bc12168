#include "workers/unfolding_array.h"

#include "jobs/cancel.h"
#include "recipes/persist.h"
#include "workers/batch.h"
#include "workers/mastership.h"

#include <algorithm>

namespace drover::workers {

using jobs::ArrayProgress;
using jobs::FinalRecord;
using jobs::JobId;
using jobs::JobView;
using jobs::QueueEntry;
using recipes::persist;
using zk::Answer;

namespace {

// Of one transaction.
constexpr qsizetype MaxTasks = 100;
constexpr std::size_t MaxCancelled = 50; // fewer if they are large

} // namespace

UnfoldingArray::UnfoldingArray(zk::Coordinator &zk, const jobs::Layout &layout, const recipes::Fence &fence,
                               TaskEnds &ends, GangTurn &turn, QByteArray queue, QueueEntry entry,
                               std::function<void()> wake)
    : m_zk(zk), m_layout(layout), m_fence(fence), m_ends(ends), m_turn(turn), m_wake(std::move(wake)),
      m_id(entry.idIn(queue)), m_entry(entry), m_path(layout.job(queue, entry))
{
}

UnfoldingArray::~UnfoldingArray()
{
    m_turn.release(m_id);
}

bool UnfoldingArray::isOpen(qint32 index) const
{
    if (!m_spec.array)
        return true; // not read yet
    const std::optional<qint32> place = m_spec.array->placeOf(index);
    return place && m_progress.open.contains(*place);
}

bool UnfoldingArray::waits() const
{
    const bool isUnderWay = !isGang() || m_progress.next > gang().firstOf(m_rounds.round);
    return !m_spec.cancelled && (isGang() ? !isUnderWay : !m_spec.heldBy.isEmpty());
}

bool UnfoldingArray::hasMore() const
{
    const bool isFull = m_spec.array && m_spec.array->limit > 0 && open() >= m_spec.array->limit;
    return m_spec.array && !isGang() && !waits() && !isFull && m_progress.next < count();
}

async::Task<UnfoldingArray::Step> UnfoldingArray::look()
{
    const auto see = [&] { return m_zk.exists(m_path); };
    const auto get = [&] { return m_zk.get(m_path); };
    const Answer<zk::Stat> stat = co_await persist(m_zk, see);
    if (stat.ok() && stat->czxid == m_czxid && stat->version == m_version)
        co_return Step::Done;
    const Answer<zk::Node> node = co_await persist(m_zk, get);
    if (!node.ok())
        co_return Step::Gone;
    QString malformed;
    try {
        read(*node);
    } catch (const jobs::Malformed &error) {
        malformed = QString::fromUtf8(error.what());
    }
    if (malformed.isEmpty())
        co_return Step::Done;
    FinalRecord record = FinalRecord::withoutRun(m_id, jobs::JobSpec(), FinalRecord::Outcome::Malformed, malformed, 0,
                                                 m_zk.loop().wallClock());
    co_return co_await end(std::move(record));
}

// Throws Malformed; version and creation are known nevertheless.
void UnfoldingArray::read(const zk::Node &node)
{
    m_czxid = node.stat.czxid;
    m_version = node.stat.version;
    m_stored = node.data;
    jobs::JobSpec spec = jobs::JobSpec::decode(node.data, m_id.queue, m_entry.priority);
    if (!spec.array)
        throw jobs::Malformed(QStringLiteral("it stands among the arrays and has no field \"array\""));
    m_progress = ArrayProgress::of(node.data, *spec.array);
    m_rounds = jobs::GangRounds::of(node.data);
    if (spec.gang > 0 && *spec.array != jobs::GangSize{spec.gang}.upTo(m_rounds.round))
        throw jobs::Malformed(QStringLiteral("field \"array\": it is not that of its gang"));
    m_task = jobs::taskOf(node.data, *spec.array);
    m_spec = std::move(spec);
}

async::Task<UnfoldingArray::Step> UnfoldingArray::advance(ListedTasks listed, int mayBeOpen)
{
    ArrayProgress progress = m_progress;
    Counted counted = co_await countEnded(listed, progress);
    m_recount.cancel();
    if (!counted.known)
        m_recount = m_zk.loop().after(HistoryReader::RetryPause, m_wake);
    if (m_spec.gang > 0)
        co_return co_await advanceGang(std::move(listed), std::move(progress), std::move(counted));
    if (m_spec.cancelled)
        progress.cancelRest(count());
    if (progress.counted() == count()) {
        FinalRecord record = recordOf(progress);
        co_return co_await end(std::move(record));
    }
    bool advanced = co_await unfold(std::move(progress), mayBeOpen);
    if (advanced && m_progress.counted() == count()) { // the rest had been cancelled before its turn
        FinalRecord record = recordOf(m_progress);
        co_return co_await end(std::move(record));
    }
    if (advanced && m_spec.cancelled)
        advanced = co_await cancelTasks(std::move(listed), QStringLiteral("cancelled with its array"));
    co_return advanced ? Step::Done : Step::Again;
}

async::Task<UnfoldingArray::Counted> UnfoldingArray::countEnded(ListedTasks listed, ArrayProgress &progress)
{
    std::vector<qint32> places;
    std::vector<JobId> ids;
    for (const qint32 place : progress.open) {
        const JobId id = taskAt(place);
        if (listed.contains(id.task))
            continue;
        places.push_back(place);
        ids.push_back(id);
    }
    Counted counted;
    if (ids.empty())
        co_return counted;
    const std::vector<std::optional<TaskEnd>> ends = co_await m_ends.of(std::move(ids));
    for (std::size_t i = 0; i < ends.size(); ++i) {
        counted.known = counted.known && ends[i];
        if (!ends[i])
            continue;
        progress.count(places[i], ends[i]->cancelled, ends[i]->exitCode);
        counted.ends.emplace_back(places[i], *ends[i]);
    }
    co_return counted;
}

// Stores `progress`, and with it makes as many tasks as may be. False if the node is another by now.
async::Task<bool> UnfoldingArray::unfold(ArrayProgress progress, int mayBeOpen)
{
    const int limit =
        std::min({m_spec.array->limit > 0 ? m_spec.array->limit : mayBeOpen, mayBeOpen, ArrayProgress::MaxOpen});
    for (;;) {
        const int room = m_spec.heldBy.isEmpty() ? limit - static_cast<int>(progress.open.size()) : 0;
        std::vector<qint32> places = progress.unfold(std::min(room, chunk()), count());
        if (progress == m_progress)
            co_return true;
        if (progress.begunAt.count() == 0)
            progress.begunAt = m_zk.loop().wallClock();
        Change change{progress, m_rounds, std::move(places)};
        const bool committed = co_await commit(std::move(change));
        if (!committed)
            co_return false;
    }
}

int UnfoldingArray::chunk() const
{
    const qsizetype bytes = m_stored.size() + ArrayProgress::MaxSize;
    return static_cast<int>(std::clamp<qsizetype>((Batch::MaxBytes - bytes) / (m_task.size() + 256), 1, MaxTasks));
}

QByteArray UnfoldingArray::storedWith(const Change &change) const
{
    const QByteArray data = change.progress.mergedInto(m_stored);
    return m_spec.gang > 0 ? change.rounds.mergedInto(data, gang()) : data;
}

// Once that is in the node.
void UnfoldingArray::noteStored(const Change &change, const QByteArray &data)
{
    m_stored = data;
    m_progress = change.progress;
    m_rounds = change.rounds;
    if (m_spec.gang > 0)
        m_spec.array = gang().upTo(m_rounds.round);
    ++m_version;
}

// False if the node is another by now.
async::Task<bool> UnfoldingArray::commit(Change change)
{
    const QByteArray data = storedWith(change);
    std::vector<qint32> &places = change.places;
    for (;;) {
        zk::Transaction transaction;
        m_fence.guard(transaction);
        transaction.set(m_path, data, m_version);
        const int round = static_cast<int>(transaction.size());
        if (change.round)
            transaction.create(*change.round, {});
        const int first = static_cast<int>(transaction.size());
        for (const qint32 place : places) {
            const JobId id = taskAt(place);
            transaction.create(m_layout.job(id.queue, {QueueEntry::Class::Ready, m_entry.priority, id.number, id.task}),
                               m_task);
        }
        const int refused = co_await commitAsMaster(m_zk, std::move(transaction));
        if (refused < 0)
            break;
        if (change.round && refused == round) { // it is there already
            change.round.reset();
            continue;
        }
        if (refused < first)
            co_return false;
        places.erase(places.begin() + (refused - first)); // it is there already, made by hand: that is the task now
    }
    noteStored(change, data);
    co_return true;
}

// False if some of them have moved on meanwhile.
async::Task<bool> UnfoldingArray::cancelTasks(ListedTasks listed, QString reason)
{
    std::vector<std::pair<JobId, QueueEntry>> tasks;
    for (const qint32 place : m_progress.open) {
        const JobId id = taskAt(place);
        const auto entry = listed.constFind(id.task);
        if (entry != listed.constEnd() && !m_asked.contains(id.task))
            tasks.emplace_back(id, *entry);
    }
    bool all = true;
    for (std::size_t begin = 0; begin < tasks.size(); begin += MaxCancelled) {
        const auto first = tasks.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last = tasks.begin() + static_cast<std::ptrdiff_t>(std::min(begin + MaxCancelled, tasks.size()));
        std::vector<std::pair<JobId, QueueEntry>> some(first, last);
        std::vector<JobView> views = co_await jobs::readEntries(m_zk, m_layout, std::move(some));
        std::erase_if(views, [this](const JobView &task) { return wasAsked(task); });
        const bool cancelled = co_await cancelTogether(std::move(views), reason);
        all = all && cancelled;
    }
    co_return all;
}

// Or needs not to be: the mark in its node outlives whoever runs it.
bool UnfoldingArray::wasAsked(const JobView &task)
{
    const bool asked = task.claimed && task.spec && task.spec->cancelled;
    if (asked)
        m_asked.insert(task.id.task);
    return asked;
}

async::Task<bool> UnfoldingArray::cancelTogether(std::vector<JobView> tasks, QString reason)
{
    bool all = true;
    while (!tasks.empty()) {
        zk::Transaction guard;
        m_fence.guard(guard);
        Batch batch(std::move(guard));
        for (const JobView &task : tasks) {
            zk::Transaction cancel;
            jobs::addCancel(cancel, m_layout, task, reason, m_zk.loop().wallClock());
            if (!batch.add(cancel))
                break;
        }
        const int refused = co_await commitAsMaster(m_zk, batch.transaction());
        if (refused >= 0) {
            all = false;
            tasks.erase(tasks.begin() + static_cast<std::ptrdiff_t>(batch.at(refused)));
            continue;
        }
        const auto others = tasks.begin() + static_cast<std::ptrdiff_t>(batch.count());
        for (auto task = tasks.begin(); task != others; ++task) {
            if (task->claimed)
                m_asked.insert(task->id.task);
        }
        tasks.erase(tasks.begin(), others);
    }
    co_return all;
}

async::Task<UnfoldingArray::Step> UnfoldingArray::end(FinalRecord record, std::optional<zk::Path> round)
{
    zk::Transaction transaction;
    m_fence.guard(transaction).remove(m_path, m_version);
    if (round)
        transaction.remove(*round);
    zk::Transaction removal = transaction;
    transaction.create(m_layout.done(m_id), record.encode());
    const int last = static_cast<int>(transaction.size()) - 1;
    int refused = co_await commitAsMaster(m_zk, std::move(transaction));
    if (refused == last) // a final record is there, which never changes
        refused = co_await commitAsMaster(m_zk, std::move(removal));
    co_return refused < 0 ? Step::Gone : Step::Again;
}

FinalRecord UnfoldingArray::recordOf(const ArrayProgress &progress) const
{
    const bool cancelled = m_spec.cancelled && progress.cancelled > 0;
    FinalRecord record = FinalRecord::withoutRun(
        m_id, m_spec, cancelled ? FinalRecord::Outcome::Cancelled : FinalRecord::Outcome::Exited,
        progress.summary(count()), 0, m_zk.loop().wallClock());
    record.attempt = 1;
    record.code = progress.exitCode;
    record.failedTasks = progress.failed;
    record.startedAt = progress.begunAt;
    return record;
}

} // namespace drover::workers
