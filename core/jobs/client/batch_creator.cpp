#include "jobs/client/batch_creator.h"

#include "jobs/client/reposition.h"
#include "jobs/model/cluster.h"

#include <algorithm>

namespace drover::jobs {

SubmittedOrNot::SubmittedOrNot(const QString &cause)
    : std::runtime_error(QStringLiteral("the job may have been submitted or not: %1").arg(cause).toStdString()),
      why(cause)
{
}

BatchCreator::BatchCreator(Cluster cluster)
    : m_cluster(std::move(cluster)), m_receipts(m_cluster.zk, m_cluster.layout.submitters()), m_search(m_cluster)
{
}

async::Task<BatchCreator::Made> BatchCreator::create(std::shared_ptr<const NewJob> job, qint32 from,
                                                     zk::Transaction with)
{
    const auto wish = std::make_shared<Wish>(Wish{std::move(job), from, std::move(with)});
    const async::Future<Made> made = wish->promise.future();
    m_wishes.push_back(wish);
    sendSoon();
    co_return co_await made;
}

qint64 BatchCreator::unsent(const QByteArray &queue) const
{
    return std::count_if(m_wishes.begin(), m_wishes.end(), [&queue](const std::weak_ptr<Wish> &waiting) {
        const std::shared_ptr<Wish> wish = waiting.lock();
        return wish && wish->queue() == queue;
    });
}

// From the loop: all that are wanted in this turn share a transaction.
void BatchCreator::sendSoon()
{
    if (std::exchange(m_sendsSoon, true))
        return;
    m_guard.post(m_cluster.zk.loop(), [this] {
        m_sendsSoon = false;
        send();
    });
}

void BatchCreator::send()
{
    while (m_underWay.size() < MostUnderWay) {
        Batch batch = takeBatch();
        if (batch.empty())
            break;
        m_underWay.spawn(carryOut(std::move(batch)));
    }
}

// The first, and those of its queue behind it.
BatchCreator::Batch BatchCreator::takeBatch()
{
    Batch batch;
    std::vector<std::weak_ptr<Wish>> others;
    qsizetype bytes = 0;
    auto next = m_wishes.begin();
    for (; next != m_wishes.end(); ++next) {
        const std::shared_ptr<Wish> wish = next->lock();
        if (!wish)
            continue; // withdrawn
        const bool isFirst = batch.empty();
        if (!isFirst && wish->queue() != batch.front()->queue()) {
            others.push_back(*next);
            continue;
        }
        const bool fits = isFirst
            || (batch.front()->with.empty() && wish->with.empty() && batch.size() < MostJobs
                && bytes + wish->job->data.size() <= MostBytes);
        if (!fits)
            break;
        bytes += wish->job->data.size();
        batch.push_back(wish);
    }
    m_wishes.erase(m_wishes.begin(), next);
    m_wishes.insert(m_wishes.begin(), others.begin(), others.end());
    return batch;
}

async::Task<void> BatchCreator::carryOut(Batch batch)
{
    const bool isSent = m_cluster.zk.state() != zk::Client::State::Lost;
    std::exception_ptr failure;
    try {
        co_await commit(batch);
    } catch (const zk::SessionLost &error) {
        failure = isSent ? std::make_exception_ptr(SubmittedOrNot(QString::fromUtf8(error.what())))
                         : std::current_exception();
    } catch (...) {
        failure = std::current_exception();
    }
    if (failure)
        fail(batch, failure);
    sendSoon();
}

async::Task<void> BatchCreator::commit(Batch batch)
{
    for (;;) {
        const recipes::Receipts::Result result = co_await m_receipts.commit(transactionOf(batch));
        if (result.receiptGone && result.replyWasLost)
            throw SubmittedOrNot(QStringLiteral("the reply was lost, and the receipt in %1 was deleted")
                                     .arg(m_cluster.layout.submitters().toString()));
        if (result.receiptGone) {
            co_await m_cluster.zk.ensurePath(m_cluster.layout.submitters());
            continue;
        }
        if (result.ok() && result.results.empty()) {
            co_await nameUnanswered(std::move(batch));
            co_return;
        }
        std::vector<Made> made(batch.size(), Made{result.code, result.refusedAt == batch.size()});
        for (std::size_t i = 0; result.ok() && i < batch.size(); ++i)
            made[i].path = result.results[i].path;
        answer(batch, std::move(made));
        co_return;
    }
}

zk::Transaction BatchCreator::transactionOf(const Batch &batch) const
{
    const QByteArray &queue = batch.front()->queue();
    zk::Transaction transaction;
    for (const std::shared_ptr<Wish> &wish : batch) {
        const JobSpec &spec = wish->job->spec;
        transaction.create(m_cluster.layout.queue(queue) / QueueEntry::prefix(spec.entryClass(), spec.priority),
                           wish->job->data, zk::CreateMode::PersistentSequential);
    }
    transaction.append(batch.front()->with);
    if (std::any_of(batch.begin(), batch.end(),
                    [](const auto &wish) { return isMasters(wish->job->spec.entryClass()); }))
        tellMaster(transaction, m_cluster.layout, queue);
    return transaction;
}

// They were created, and the numbers were in the reply that was lost.
async::Task<void> BatchCreator::nameUnanswered(Batch batch)
{
    const QByteArray queue = batch.front()->queue();
    KeySearch::Keys keys;
    for (std::size_t i = 0; i < batch.size(); ++i)
        keys.insert(batch[i]->job->spec.key, static_cast<qint32>(i));
    std::vector<Made> made(batch.size());
    try {
        const std::optional<KeySearch::Found> found = co_await m_search.find(queue, keys, batch.front()->from);
        for (std::size_t i = 0; found && i < batch.size(); ++i) {
            const JobSpec &spec = batch[i]->job->spec;
            const qint32 number = found->id.number - found->place + static_cast<qint32>(i);
            made[i].path = m_cluster.layout.job(queue, QueueEntry{spec.entryClass(), spec.priority, number});
        }
    } catch (const zk::Error &) { // they are submitted all the same
    }
    answer(batch, std::move(made));
}

// From the loop: who is resumed may destroy us.
void BatchCreator::answer(const Batch &batch, std::vector<Made> made)
{
    m_cluster.zk.loop().post([batch, made = std::move(made)] {
        for (std::size_t i = 0; i < batch.size(); ++i)
            batch[i]->promise.set(made[i]);
    });
}

void BatchCreator::fail(const Batch &batch, std::exception_ptr error)
{
    m_cluster.zk.loop().post([batch, error] {
        for (const std::shared_ptr<Wish> &wish : batch)
            wish->promise.fail(error);
    });
}

} // namespace drover::jobs
