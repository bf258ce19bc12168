#include "workers/master/arrays/task_canceller.h"

#include "jobs/client/cancel_job.h"
#include "recipes/blocks/persistent.h"
#include "workers/master/base/master_commit.h"
#include "zk/transaction_batch.h"

#include <algorithm>

namespace drover::workers {

using jobs::JobView;

namespace {

constexpr std::ptrdiff_t MaxCancelled = 50; // in one transaction; fewer if they are large

} // namespace

async::Task<bool> TaskCanceller::cancel(std::vector<std::pair<jobs::JobId, jobs::QueueEntry>> tasks, QString reason)
{
    std::erase_if(tasks, [this](const auto &task) { return m_asked.contains(task.first.task); });
    bool all = true;
    m_blocked = false;
    for (auto first = tasks.begin(); first != tasks.end();) {
        const auto last = first + std::min(MaxCancelled, tasks.end() - first);
        std::vector<std::pair<jobs::JobId, jobs::QueueEntry>> some(first, last);
        first = last;
        std::vector<JobView> views = co_await jobs::readEntries(m_cluster, std::move(some));
        std::erase_if(views, [this](const JobView &task) { return wasAsked(task); });
        const bool cancelled = co_await cancelTogether(std::move(views), reason);
        all = all && cancelled;
    }
    if (all && m_blocked)
        throw Blocked("a task's");
    co_return all;
}

bool TaskCanceller::wasAsked(const JobView &task)
{
    const bool asked = task.claimed && task.spec && task.spec->notes.cancelled;
    if (asked)
        m_asked.insert(task.id.task);
    return asked;
}

async::Task<bool> TaskCanceller::cancelTogether(std::vector<JobView> tasks, QString reason)
{
    bool all = true;
    while (!tasks.empty()) {
        zk::Transaction guard;
        m_fence.guard(guard);
        zk::TransactionBatch batch(std::move(guard));
        for (const JobView &task : tasks) {
            zk::Transaction cancel;
            jobs::addCancel(cancel, m_cluster.layout, task, reason, m_cluster.zk.loop().wallClock());
            if (!batch.add(cancel))
                break;
        }
        const std::optional<std::size_t> refused = co_await commitAsMaster(m_cluster.zk, batch.transaction());
        if (refused) {
            const auto place = tasks.begin() + static_cast<std::ptrdiff_t>(batch.at(*refused));
            JobView task = std::move(*place);
            tasks.erase(place);
            const bool blocked = co_await isBlocked(std::move(task));
            m_blocked = m_blocked || blocked;
            all = all && blocked;
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

// After a refusal: because the task has changed since it was read, or because of nodes below it.
async::Task<bool> TaskCanceller::isBlocked(JobView task)
{
    const zk::Path node = m_cluster.layout.job(task.id.queue, *task.entry);
    const zk::Answer<zk::Stat> stat = co_await recipes::Persistent(m_cluster.zk).exists(node);
    co_return stat.ok() && stat->version == task.version && stat->numChildren > 0;
}

} // namespace drover::workers
