#include "recipes/locks/lock.h"

namespace drover::recipes {

async::Future<zk::Nothing> Lock::releaseAndConfirm()
{
    const std::shared_ptr<OwnNode> node = std::exchange(m_node, nullptr);
    if (node.use_count() == 1)
        return node->remove();
    async::Promise<zk::Nothing> nothingToDo;
    nothingToDo.set({});
    return nothingToDo.future();
}

std::shared_ptr<OwnNode> ReentrantLock::heldBy(const Owner &owner) const
{
    for (const Held &held : m_held) {
        std::shared_ptr<OwnNode> node = held.node.lock();
        if (node && held.owner == owner && node->client().state() != zk::Client::State::Lost)
            return node;
    }
    return nullptr;
}

Lock ReentrantLock::add(OwnNode node, Owner owner)
{
    std::erase_if(m_held, [](const Held &held) { return held.node.expired(); });
    auto shared = std::make_shared<OwnNode>(std::move(node));
    m_held.push_back({shared, std::move(owner)});
    return Lock(std::move(shared));
}

async::Task<Lock> ReentrantLock::acquire(QByteArray about, Owner owner)
{
    if (std::shared_ptr<OwnNode> held = heldBy(owner))
        co_return Lock(std::move(held));
    OwnNode node = co_await take(about, owner);
    co_return add(std::move(node), std::move(owner));
}

async::Task<std::optional<Lock>> ReentrantLock::tryAcquire(QByteArray about, Owner owner)
{
    if (std::shared_ptr<OwnNode> held = heldBy(owner))
        co_return Lock(std::move(held));
    std::optional<OwnNode> node = co_await tryTake(about, owner);
    if (!node)
        co_return std::nullopt;
    co_return add(std::move(*node), std::move(owner));
}

} // namespace drover::recipes
