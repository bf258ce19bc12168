#include "recipes/lock.h"

namespace drover::recipes {

const Fence &Lock::Hold::fence() const
{
    return std::visit([](const auto &node) -> const Fence & { return node.fence(); }, place);
}

zk::Coordinator &Lock::Hold::coordinator() const
{
    return std::visit([](const auto &node) -> zk::Coordinator & { return node.coordinator(); }, place);
}

std::shared_ptr<Lock::Hold> Holds::of(const Owner &owner) const
{
    for (const std::weak_ptr<Lock::Hold> &weak : m_holds) {
        std::shared_ptr<Lock::Hold> hold = weak.lock();
        if (hold && hold->owner == owner && hold->coordinator().state() != zk::Coordinator::State::Lost)
            return hold;
    }
    return nullptr;
}

Lock Holds::add(Lock::Place place, Owner owner)
{
    std::erase_if(m_holds, [](const auto &weak) { return weak.expired(); });
    Lock lock(std::move(place), std::move(owner));
    m_holds.push_back(lock.hold());
    return lock;
}

} // namespace drover::recipes
