#include "workers/sim/node_closer.h"

#include "recipes/blocks/persistent.h"
#include "support/fake/fake_acl.h"

#include <algorithm>

namespace drover::test {

namespace {

constexpr auto Read = static_cast<qint32>(Permission::Read);
constexpr auto Write = static_cast<qint32>(Permission::Write);
constexpr auto Create = static_cast<qint32>(Permission::Create);
constexpr auto Delete = static_cast<qint32>(Permission::Delete);

zk::AclList everybody(qint32 rights)
{
    return {zk::Acl{rights, "world", "anyone"}};
}

// Unless the node has gone.
async::Task<void> setAcl(zk::Client &zk, zk::Path path, zk::AclList acl)
{
    for (;;) {
        try {
            const zk::Answer<zk::Nothing> set = co_await zk.setAcl(path, acl);
            Q_UNUSED(set)
            co_return;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

} // namespace

async::Task<void> NodeCloser::closeSome(zk::Client &zk, int rounds)
{
    for (; rounds > 0; --rounds) {
        co_await async::sleepFor(zk.loop(), std::chrono::milliseconds(m_random.below(1000)));
        const std::optional<Closing> closing = co_await someClosing(zk);
        if (!closing)
            continue;
        co_await setAcl(zk, closing->path, everybody(zk::AllPermissions - closing->missing));
        co_await async::sleepFor(zk.loop(), std::chrono::milliseconds(m_random.below(2000)));
        co_await setAcl(zk, closing->path, everybody(zk::AllPermissions));
    }
}

// Half of them of a job that is there now.
async::Task<std::optional<NodeCloser::Closing>> NodeCloser::someClosing(zk::Client &zk)
{
    const zk::Path queue = m_layout.queue(m_queues[m_random.below(static_cast<int>(m_queues.size()))]);
    if (m_random.chance(0.5))
        co_return ofDirectory(queue);
    const zk::Answer<zk::Children> names = co_await recipes::Persistent(zk).children(queue);
    QByteArrayList present = names.ok() ? names->names : QByteArrayList();
    present.removeIf([](const QByteArray &name) { return !jobs::QueueEntry::parse(name); });
    if (present.isEmpty())
        co_return std::nullopt;
    co_return ofJob(queue / present[m_random.below(static_cast<int>(present.size()))]);
}

NodeCloser::Closing NodeCloser::ofDirectory(const zk::Path &queue)
{
    switch (m_random.below(3)) {
    case 0:
        return {queue, oneOf({Read, Create, Delete})};
    case 1:
        return {m_layout.claims(), oneOf({Read, Create, Delete})};
    default:
        return {m_layout.done(), oneOf({Read, Create})};
    }
}

NodeCloser::Closing NodeCloser::ofJob(const zk::Path &job)
{
    return {job, oneOf({Read, Write})};
}

qint32 NodeCloser::oneOf(std::initializer_list<qint32> rights)
{
    return *std::next(rights.begin(), m_random.below(static_cast<int>(rights.size())));
}

} // namespace drover::test
