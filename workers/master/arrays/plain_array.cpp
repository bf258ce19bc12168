#include "workers/master/arrays/plain_array.h"

#include <algorithm>

namespace drover::workers {

using jobs::ArrayProgress;
using jobs::FinalRecord;

bool PlainArray::hasMore() const
{
    if (!m_spec.array)
        return false; // not read yet
    const bool isFull = m_spec.array->limit > 0 && open() >= m_spec.array->limit;
    return !waits() && !isFull && m_progress.next < count();
}

async::Task<ExpandingArray::Step> PlainArray::bringForward(ListedTasks listed, Ended ended, int mayBeOpen)
{
    ArrayProgress progress = std::move(ended.progress);
    if (m_spec.notes.cancelled)
        progress.cancelRest(count());
    if (progress.counted() == count())
        co_return co_await endWith(std::move(progress));
    bool advanced = co_await expand(std::move(progress), mayBeOpen);
    if (advanced && m_progress.counted() == count()) // the rest had been cancelled before its turn
        co_return co_await endWith(m_progress);
    if (advanced && m_spec.notes.cancelled)
        advanced = co_await cancelTasks(std::move(listed), QStringLiteral("cancelled with its array"));
    co_return advanced ? Step::Done : Step::Again;
}

// Stores `progress`, and with it makes as many tasks as may be. False if the node has changed.
async::Task<bool> PlainArray::expand(ArrayProgress progress, int mayBeOpen)
{
    const int limit =
        std::min({m_spec.array->limit > 0 ? m_spec.array->limit : mayBeOpen, mayBeOpen, ArrayProgress::MaxOpen});
    for (;;) {
        const int room = m_spec.notes.heldBy.isEmpty() ? limit - static_cast<int>(progress.open.size()) : 0;
        const std::vector<qint32> places = progress.expand(std::min(room, chunk()), count());
        if (progress == m_progress)
            co_return true;
        if (progress.begunAt.count() == 0)
            progress.begunAt = m_cluster.zk.loop().wallClock();
        QByteArray data = progress.mergedInto(m_stored);
        std::vector<NewNode> tasks = tasksAt(places);
        const bool committed = co_await commit(progress, std::move(data), std::move(tasks));
        if (!committed)
            co_return false;
    }
}

async::Task<ExpandingArray::Step> PlainArray::endWith(ArrayProgress progress)
{
    const bool cancelled = m_spec.notes.cancelled && progress.cancelled > 0;
    FinalRecord record = FinalRecord::withoutRun(
        m_id, m_spec, cancelled ? FinalRecord::Outcome::Cancelled : FinalRecord::Outcome::Exited,
        progress.summary(count()), 0, m_cluster.zk.loop().wallClock());
    record.attempts = {1, 0};
    record.code = progress.exitCode;
    record.failedTasks = progress.failed;
    record.neverMade = progress.neverMade;
    record.startedAt = progress.begunAt;
    co_return co_await end(std::move(record));
}

} // namespace drover::workers
