#include "recipes/lock.h"

namespace drover::recipes {

std::shared_ptr<Lock::Hold> Holds::of(const Owner &owner) const
{
    for (const std::weak_ptr<Lock::Hold> &weak : m_holds) {
        std::shared_ptr<Lock::Hold> hold = weak.lock();
        if (hold && hold->owner == owner && hold->ticket.coordinator().state() != zk::Coordinator::State::Lost)
            return hold;
    }
    return nullptr;
}

Lock Holds::add(Ticket ticket, Owner owner)
{
    std::erase_if(m_holds, [](const auto &weak) { return weak.expired(); });
    Lock lock(std::move(ticket), std::move(owner));
    m_holds.push_back(lock.hold());
    return lock;
}

} // namespace drover::recipes
