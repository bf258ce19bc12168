#include "workers/throttle.h"

#include "recipes/persist.h"
#include "workers/mastership.h"

#include <QLoggingCategory>

namespace drover::workers {

using zk::Answer;

Q_LOGGING_CATEGORY(lcThrottle, "drover.workers.throttle")

bool Throttle::isOverfull(qint64 waiting, bool failing, qint64 limit)
{
    m_overfull = waiting >= (m_overfull || failing ? limit : 2 * limit);
    return m_overfull;
}

async::Task<void> Throttle::show(recipes::Fence fence, bool pause, QString reason)
{
    const zk::Path path = m_layout.backpressure();
    const auto look = [&] { return m_zk.exists(path); };
    const Answer<zk::Stat> there = co_await recipes::persist(m_zk, look);
    const bool isOurs = there.ok() && there->ephemeralOwner == m_zk.sessionId();
    const bool was = m_since.count() > 0;
    if (pause != was) {
        m_since = pause ? m_zk.loop().wallClock() : std::chrono::milliseconds();
        qCWarning(lcThrottle, "%s: %ls", pause ? "claims pause" : "claims go on", qUtf16Printable(reason));
    }
    if (pause ? isOurs : !there.ok())
        co_return;
    zk::Transaction transaction;
    fence.guard(transaction);
    if (there.ok())
        transaction.remove(path);
    if (pause)
        transaction.create(path, jobs::Backpressure{reason, m_since}.encode(), zk::CreateMode::Ephemeral);
    const int refused = co_await commitAsMaster(m_zk, std::move(transaction));
    Q_UNUSED(refused) // it is another than it was: the next round looks
}

} // namespace drover::workers
