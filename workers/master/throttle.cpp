#include "workers/master/throttle.h"

#include "recipes/blocks/persistent.h"
#include "workers/master/base/master_commit.h"

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
    const zk::Path path = m_cluster.layout.backpressure();
    const Answer<zk::Stat> there = co_await recipes::Persistent(m_cluster.zk).exists(path);
    const bool isOurs = there.ok() && there->ephemeralOwner == m_cluster.zk.sessionId();
    const bool was = m_since.count() > 0;
    if (pause != was) {
        m_since = pause ? m_cluster.zk.loop().wallClock() : std::chrono::milliseconds();
        qCWarning(lcThrottle, "%s: %ls", pause ? "claims pause" : "claims go on", qUtf16Printable(reason));
    }
    if (pause ? isOurs : !there.ok())
        co_return;
    if (pause)
        co_await m_cluster.zk.ensurePath(path.parent());
    zk::Transaction transaction;
    fence.guard(transaction);
    if (there.ok())
        transaction.remove(path);
    if (pause)
        transaction.create(path, jobs::Backpressure{reason, m_since}.encode(), zk::CreateMode::Ephemeral);
    co_await commitAsMaster(m_cluster.zk, std::move(transaction)); // refused if it has changed: the next round looks
}

} // namespace drover::workers
