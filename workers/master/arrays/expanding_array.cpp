#include "workers/master/arrays/expanding_array.h"

#include "recipes/blocks/persistent.h"
#include "workers/master/base/master_commit.h"
#include "workers/master/base/supervise.h"
#include "zk/transaction_batch.h"

#include <algorithm>

namespace drover::workers {

using jobs::ArrayProgress;
using jobs::FinalRecord;
using jobs::JobId;
using jobs::QueueEntry;
using recipes::Persistent;
using zk::Answer;

namespace {

constexpr qsizetype MaxTasks = 100; // of one transaction

} // namespace

ExpandingArray::ExpandingArray(const ArrayContext &context, QueueEntry entry)
    : m_cluster(context.cluster), m_fence(context.fence), m_wake(context.wake), m_id(entry.idIn(context.queue)),
      m_outcomes(context.outcomes), m_entry(entry), m_path(m_cluster.layout.job(context.queue, entry)),
      m_canceller(m_cluster, m_fence)
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
    m_record = jobs::JobRecord::parse(node.data);
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
    return static_cast<int>(
        std::clamp<qsizetype>((zk::TransactionBatch::MaxBytes - bytes) / (m_record.bytes().size() + 256), 1, MaxTasks));
}

std::vector<ExpandingArray::NewNode> ExpandingArray::tasksAt(const std::vector<qint32> &places) const
{
    std::vector<NewNode> tasks;
    for (const qint32 place : places) {
        const JobId id = taskAt(place);
        const QueueEntry entry{QueueEntry::Class::Ready, m_entry.priority, id.number, id.task};
        tasks.push_back({m_cluster.layout.job(id.queue, entry), jobs::taskOf(m_record, id.task)});
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
        const std::size_t first = transaction.size();
        for (const NewNode &node : nodes)
            transaction.create(node.path, node.data);
        const std::optional<std::size_t> refused = co_await commitAsMaster(m_cluster.zk, std::move(transaction));
        if (!refused)
            break;
        if (*refused < first)
            co_return false;
        nodes.erase(nodes.begin()
                    + static_cast<std::ptrdiff_t>(*refused - first)); // that is the task, or the round, from now on
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
        if (entry != listed.constEnd())
            tasks.emplace_back(id, *entry);
    }
    co_return co_await m_canceller.cancel(std::move(tasks), std::move(reason));
}

async::Task<ExpandingArray::Step> ExpandingArray::end(FinalRecord record)
{
    co_return co_await end(std::move(record), std::nullopt);
}

async::Task<ExpandingArray::Step> ExpandingArray::end(FinalRecord record, std::optional<zk::Path> round)
{
    record.keepSigned(m_stored, m_entry.priority);
    zk::Transaction transaction;
    m_fence.guard(transaction);
    const std::size_t own = transaction.size();
    transaction.remove(m_path, m_version);
    if (round)
        transaction.remove(*round);
    zk::Transaction removal = transaction;
    transaction.create(m_cluster.layout.done(m_id), record.encode());
    const std::size_t last = transaction.size() - 1;
    std::optional<std::size_t> refused = co_await commitAsMaster(m_cluster.zk, std::move(transaction));
    if (refused == last) // a final record is there, which never changes
        refused = co_await commitAsMaster(m_cluster.zk, std::move(removal));
    if (refused == own)
        co_await requireUnblocked();
    co_return refused ? Step::Again : Step::Gone;
}

// After the removal of its node was refused: because the node has changed, or because of others below it.
async::Task<void> ExpandingArray::requireUnblocked()
{
    const Answer<zk::Stat> stat = co_await Persistent(m_cluster.zk).exists(m_path);
    if (stat.ok() && stat->version == m_version && stat->numChildren > 0)
        throw Blocked("its own");
}

} // namespace drover::workers
