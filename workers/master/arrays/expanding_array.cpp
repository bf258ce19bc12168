#include "workers/master/arrays/expanding_array.h"

#include "jobs/client/cancel_job.h"
#include "recipes/blocks/persistent.h"
#include "workers/base/batch.h"
#include "workers/master/base/master_commit.h"
#include "workers/master/base/supervise.h"

#include <algorithm>

namespace drover::workers {

using jobs::ArrayProgress;
using jobs::FinalRecord;
using jobs::JobId;
using jobs::JobView;
using jobs::QueueEntry;
using recipes::Persistent;
using zk::Answer;

namespace {

// Of one transaction.
constexpr qsizetype MaxTasks = 100;
constexpr std::size_t MaxCancelled = 50; // fewer if they are large

} // namespace

ExpandingArray::ExpandingArray(const ArrayContext &context, QueueEntry entry)
    : m_cluster(context.cluster), m_fence(context.fence), m_wake(context.wake), m_id(entry.idIn(context.queue)),
      m_outcomes(context.outcomes), m_entry(entry), m_path(m_cluster.layout.job(context.queue, entry))
{
}

bool ExpandingArray::isOpen(qint32 index) const
{
    if (!m_spec.array)
        return true; // not read yet
    const std::optional<qint32> place = m_spec.array->placeOf(index);
    return place && m_progress.open.contains(*place);
}

async::Task<ExpandingArray::Step> ExpandingArray::look()
{
    const Answer<zk::Stat> stat = co_await Persistent(m_cluster.zk).exists(m_path);
    if (stat.ok() && stat->czxid == m_czxid && stat->version == m_version)
        co_return Step::Done;
    const Answer<zk::Node> node = co_await Persistent(m_cluster.zk).get(m_path);
    if (!node.ok())
        co_return Step::Gone;
    co_return co_await take(*node);
}

async::Task<ExpandingArray::Step> ExpandingArray::take(zk::Node node)
{
    QString malformed;
    try {
        const bool isRead = read(node);
        co_return isRead ? Step::Done : Step::OtherKind;
    } catch (const jobs::NewerFormat &) {
        throw;
    } catch (const jobs::Malformed &error) {
        malformed = QString::fromUtf8(error.what());
    }
    FinalRecord record = FinalRecord::withoutRun(m_id, jobs::JobSpec(), FinalRecord::Outcome::Malformed, malformed, 0,
                                                 m_cluster.zk.loop().wallClock());
    co_return co_await end(std::move(record));
}

// False if it is of the other kind. Throws Malformed; version and creation are known nevertheless.
bool ExpandingArray::read(const zk::Node &node)
{
    m_czxid = node.stat.czxid;
    m_version = node.stat.version;
    m_stored = node.data;
    jobs::JobSpec spec = jobs::JobSpec::decode(node.data, m_id.queue, m_entry.priority);
    if (!spec.array)
        throw jobs::Malformed(QStringLiteral("it stands among the arrays and has no field \"array\""));
    if (!isOfThisKind(spec))
        return false;
    m_progress = ArrayProgress::of(node.data, *spec.array);
    readMore(spec, node.data);
    m_task = jobs::taskOf(node.data, *spec.array);
    m_spec = std::move(spec);
    return true;
}

async::Task<ExpandingArray::Step> ExpandingArray::advance(ListedTasks listed, int mayBeOpen)
{
    if (!m_spec.array)
        co_return Step::Again; // not read yet
    Ended ended = co_await countEnded(listed);
    m_recount.cancel();
    if (!ended.complete)
        m_recount = m_cluster.zk.loop().after(RetryPause, m_wake);
    co_return co_await bringForward(std::move(listed), std::move(ended), mayBeOpen);
}

async::Task<ExpandingArray::Ended> ExpandingArray::countEnded(ListedTasks listed)
{
    std::vector<qint32> places;
    std::vector<JobId> ids;
    for (const qint32 place : m_progress.open) {
        const JobId id = taskAt(place);
        if (listed.contains(id.task))
            continue;
        places.push_back(place);
        ids.push_back(id);
    }
    Ended ended{m_progress, {}};
    if (ids.empty())
        co_return ended;
    const std::vector<std::optional<TaskOutcome>> outcomes = co_await m_outcomes.read(std::move(ids));
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
        ended.complete = ended.complete && outcomes[i];
        if (!outcomes[i])
            continue;
        ended.progress.count(places[i], outcomes[i]->cancelled, outcomes[i]->exitCode);
        ended.outcomes.emplace_back(places[i], *outcomes[i]);
    }
    co_return ended;
}

int ExpandingArray::chunk() const
{
    const qsizetype bytes = m_stored.size() + ArrayProgress::MaxSize;
    return static_cast<int>(std::clamp<qsizetype>((Batch::MaxBytes - bytes) / (m_task.size() + 256), 1, MaxTasks));
}

std::vector<ExpandingArray::NewNode> ExpandingArray::tasksAt(const std::vector<qint32> &places) const
{
    std::vector<NewNode> tasks;
    for (const qint32 place : places) {
        const JobId id = taskAt(place);
        const QueueEntry entry{QueueEntry::Class::Ready, m_entry.priority, id.number, id.task};
        tasks.push_back({m_cluster.layout.job(id.queue, entry), m_task});
    }
    return tasks;
}

zk::Transaction ExpandingArray::storing(const QByteArray &data) const
{
    zk::Transaction transaction;
    m_fence.guard(transaction);
    transaction.set(m_path, data, m_version);
    return transaction;
}

void ExpandingArray::noteStored(const ArrayProgress &progress, const QByteArray &data)
{
    m_stored = data;
    m_progress = progress;
    ++m_version;
}

async::Task<bool> ExpandingArray::commit(ArrayProgress progress, QByteArray data, std::vector<NewNode> nodes)
{
    for (;;) {
        zk::Transaction transaction = storing(data);
        const int first = static_cast<int>(transaction.size());
        for (const NewNode &node : nodes)
            transaction.create(node.path, node.data);
        const int refused = co_await commitAsMaster(m_cluster.zk, std::move(transaction));
        if (refused < 0)
            break;
        if (refused < first)
            co_return false;
        nodes.erase(nodes.begin() + (refused - first)); // that is the task, or the round, from now on
    }
    noteStored(progress, data);
    co_return true;
}

async::Task<bool> ExpandingArray::cancelTasks(ListedTasks listed, QString reason)
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
        std::vector<JobView> views = co_await jobs::readEntries(m_cluster, std::move(some));
        std::erase_if(views, [this](const JobView &task) { return wasAsked(task); });
        const bool cancelled = co_await cancelTogether(std::move(views), reason);
        all = all && cancelled;
    }
    co_return all;
}

// The mark in the task's node outlives the worker that runs it, so a task that has the mark need not be asked again.
bool ExpandingArray::wasAsked(const JobView &task)
{
    const bool asked = task.claimed && task.spec && task.spec->notes.cancelled;
    if (asked)
        m_asked.insert(task.id.task);
    return asked;
}

async::Task<bool> ExpandingArray::cancelTogether(std::vector<JobView> tasks, QString reason)
{
    bool all = true;
    while (!tasks.empty()) {
        zk::Transaction guard;
        m_fence.guard(guard);
        Batch batch(std::move(guard));
        for (const JobView &task : tasks) {
            zk::Transaction cancel;
            jobs::addCancel(cancel, m_cluster.layout, task, reason, m_cluster.zk.loop().wallClock());
            if (!batch.add(cancel))
                break;
        }
        const int refused = co_await commitAsMaster(m_cluster.zk, batch.transaction());
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

async::Task<ExpandingArray::Step> ExpandingArray::end(FinalRecord record)
{
    co_return co_await end(std::move(record), std::nullopt);
}

async::Task<ExpandingArray::Step> ExpandingArray::end(FinalRecord record, std::optional<zk::Path> round)
{
    zk::Transaction transaction;
    m_fence.guard(transaction).remove(m_path, m_version);
    if (round)
        transaction.remove(*round);
    zk::Transaction removal = transaction;
    transaction.create(m_cluster.layout.done(m_id), record.encode());
    const int last = static_cast<int>(transaction.size()) - 1;
    int refused = co_await commitAsMaster(m_cluster.zk, std::move(transaction));
    if (refused == last) // a final record is there, which never changes
        refused = co_await commitAsMaster(m_cluster.zk, std::move(removal));
    co_return refused < 0 ? Step::Gone : Step::Again;
}

} // namespace drover::workers
