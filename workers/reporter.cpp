#include "workers/reporter.h"

#include "recipes/persist.h"

#include <QLoggingCategory>

namespace drover::workers {

using recipes::persist;
using zk::Answer;

Q_LOGGING_CATEGORY(lcReporter, "drover.workers.reporter")

namespace {

constexpr std::size_t MaxBatch = 16;

template <typename Report>
int operationsOf(const Report &report)
{
    return report.record.isEmpty() || !report.returned.isEmpty() ? 2 : 3;
}

// Which report the operation of that index belongs to; they have two or three operations each.
template <typename Reports>
std::size_t reportAt(const Reports &batch, int operation)
{
    std::size_t index = 0;
    for (int left = operation; index + 1 < batch.size(); ++index) {
        left -= operationsOf(batch[index]);
        if (left < 0)
            break;
    }
    return index;
}

bool isRemovalOfClaim(const zk::Transaction &transaction, int operation, const zk::Path &claims)
{
    const auto *remove =
        std::get_if<zk::Transaction::Remove>(&transaction.operations()[static_cast<std::size_t>(operation)]);
    return remove && remove->path.parent() == claims;
}

} // namespace

void Reporter::finish(const ClaimedJob &job, const jobs::FinalRecord &record)
{
    add(Report{job.id, m_layout.job(job.id.queue, job.entry), job.attempt, record.encode(), {}});
}

void Reporter::giveBack(const ClaimedJob &job)
{
    add(Report{job.id, m_layout.job(job.id.queue, job.entry), job.attempt, {}, {}});
}

void Reporter::giveBackUnbegun(const ClaimedJob &job, const jobs::FinalRecord &ifCancelled)
{
    add(Report{job.id, m_layout.job(job.id.queue, job.entry), job.attempt, ifCancelled.encode(),
               jobs::JobSpec::countReturned(job.stored)});
}

void Reporter::add(Report report)
{
    m_waiting.push_back(std::move(report));
    m_added.set();
}

async::Task<void> Reporter::run()
{
    for (;;) {
        co_await m_added.wait();
        m_added.reset();
        while (!m_waiting.empty()) {
            const std::size_t count = std::min(m_waiting.size(), MaxBatch);
            std::vector<Report> batch(m_waiting.begin(), m_waiting.begin() + static_cast<std::ptrdiff_t>(count));
            m_waiting.erase(m_waiting.begin(), m_waiting.begin() + static_cast<std::ptrdiff_t>(count));
            m_sending = count;
            co_await send(std::move(batch));
            m_sending = 0;
            m_answered.notify();
        }
    }
}

async::Task<void> Reporter::flushed()
{
    while (m_sending > 0 || !m_waiting.empty())
        co_await m_answered.wait();
}

void Reporter::append(zk::Transaction &transaction, const Report &report, const zk::Path &claim, const zk::Path &done)
{
    constexpr qint32 NeverWrittenTo = 0;
    if (!report.returned.isEmpty())
        transaction.set(report.job, report.returned, report.attempt).remove(claim, NeverWrittenTo);
    else if (report.record.isEmpty())
        transaction.check(report.job, report.attempt).remove(claim);
    else
        transaction.remove(report.job, report.attempt).remove(claim).create(done, report.record);
}

async::Task<void> Reporter::send(std::vector<Report> batch)
{
    while (!batch.empty()) {
        zk::Transaction transaction;
        for (const Report &report : batch)
            append(transaction, report, m_layout.claim(report.id), m_layout.done(report.id));
        const auto commit = [&] { return m_zk.commit(transaction); };
        const Answer<zk::Committed> committed = co_await persist(m_zk, commit);
        if (committed.ok())
            co_return;
        const int failed = committed->failedAt();
        if (failed < 0)
            committed.require();
        const std::size_t index = reportAt(batch, failed);
        Report report = batch[index];
        batch.erase(batch.begin() + static_cast<std::ptrdiff_t>(index));
        const bool writtenTo = committed->results[static_cast<std::size_t>(failed)].code == zk::Code::BadVersion
            && isRemovalOfClaim(transaction, failed, m_layout.claims());
        if (writtenTo && !report.returned.isEmpty()) {
            report.returned.clear(); // cancelled before it began
            batch.push_back(std::move(report));
            continue;
        }
        const bool ours = co_await wasCommitted(report);
        if (ours)
            continue;
        ++m_rejected;
        qCInfo(lcReporter, "attempt %d of %s is not the current one: its result is void", report.attempt,
               report.id.bytes().constData());
    }
}

async::Task<bool> Reporter::wasCommitted(Report report)
{
    if (report.record.isEmpty() || !report.returned.isEmpty())
        co_return false;
    const zk::Path path = m_layout.done(report.id);
    const auto read = [&] { return m_zk.get(path); };
    const Answer<zk::Node> node = co_await persist(m_zk, read);
    co_return node.ok() && node->data == report.record;
}

} // namespace drover::workers
