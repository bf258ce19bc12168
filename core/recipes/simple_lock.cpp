#include "recipes/simple_lock.h"

#include "recipes/persist.h"
#include "recipes/unowned_create.h"

namespace drover::recipes {

using zk::Answer;
using zk::Code;

// One try. Nothing means that another has the node, and that the watch is on it unless it has just gone.
async::Task<std::optional<Ticket>> SimpleLock::attempt(QByteArray about, zk::Watch &watch)
{
    const QByteArray data = m_zk.loop().makeUuid().toByteArray(QUuid::WithoutBraces) + ' ' + about;
    const auto create = [&] { return m_zk.create(m_path, data, zk::CreateMode::Ephemeral); };
    const auto look = [&] { return m_zk.get(m_path, watch); };
    const Mark mark{m_path.name(), data};
    UnownedCreate unowned(m_zk, m_path.parent(), mark);
    for (;;) {
        unowned.setPossible(true);
        const Answer<zk::Created> created = co_await persist(m_zk, create);
        if (created.ok()) {
            unowned.setPossible(false);
            co_return Ticket(m_zk, m_path, created->stat);
        }
        if (!created.is(Code::NoNode))
            break;
        co_await m_zk.ensurePath(m_path.parent());
    }
    const Answer<zk::Node> node = co_await persist(m_zk, look);
    unowned.setPossible(false);
    if (node.ok() && node->stat.ephemeralOwner == m_zk.sessionId() && node->data == data)
        co_return Ticket(m_zk, m_path, node->stat);
    co_return std::nullopt;
}

async::Task<Lock> SimpleLock::acquire(QByteArray about, Owner owner)
{
    if (std::shared_ptr<Lock::Hold> hold = m_holds.of(owner))
        co_return Lock(std::move(hold));
    for (;;) {
        zk::Watch watch;
        std::optional<Ticket> ticket = co_await attempt(about, watch);
        if (ticket)
            co_return m_holds.add(std::move(*ticket), std::move(owner));
        if (!watch.armed())
            continue;
        const async::Future<zk::WatchEvent> fired = watch.fired();
        co_await fired;
    }
}

async::Task<std::optional<Lock>> SimpleLock::tryAcquire(QByteArray about, Owner owner)
{
    if (std::shared_ptr<Lock::Hold> hold = m_holds.of(owner))
        co_return Lock(std::move(hold));
    zk::Watch watch;
    std::optional<Ticket> ticket = co_await attempt(about, watch);
    if (!ticket)
        co_return std::nullopt;
    co_return m_holds.add(std::move(*ticket), std::move(owner));
}

} // namespace drover::recipes
