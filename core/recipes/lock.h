#pragma once

#include "recipes/named_node.h"
#include "recipes/ticket.h"

#include <memory>
#include <variant>
#include <vector>

namespace drover::recipes {

// Who asks for a lock. Copies are the same owner, a new one is equal to no other: locks are re-entrant by it, as
// Java's are by the thread. An owner awaits one acquire before it starts the next.
class Owner
{
public:
    Owner() : m_identity(std::make_shared<char>()) { }

    friend bool operator==(const Owner &, const Owner &) = default;

private:
    std::shared_ptr<const char> m_identity;
};

// What acquire() gives: held until it is destroyed or released, or until the session ends. Movable. An owner that
// acquires again gets another Lock on the same node; the node goes with the last of them.
class Lock
{
public:
    using Place = std::variant<Ticket, NamedNode>;
    struct Hold {
        Place place;
        Owner owner;

        const Fence &fence() const;
        zk::Coordinator &coordinator() const;
    };

    explicit Lock(Place place) : Lock(std::move(place), Owner()) { }
    Lock(Place place, Owner owner) : m_hold(std::make_shared<Hold>(Hold{std::move(place), std::move(owner)})) { }
    explicit Lock(std::shared_ptr<Hold> hold) : m_hold(std::move(hold)) { }
    Lock(Lock &&) noexcept = default;
    Lock &operator=(Lock &&) noexcept = default;

    bool isHeld() const { return m_hold != nullptr; }

    // These while it is held. The fence is to be checked in every write that the lock protects; see Fence.
    const Fence &fence() const { return m_hold->fence(); }
    zk::Coordinator &coordinator() const { return m_hold->coordinator(); }
    const std::shared_ptr<Hold> &hold() const { return m_hold; }

    // Released without waiting for the server: the delete is sent at once, before anything that is sent later on
    // this connection; when that breaks, the delete is repeated behind what has waited for the next one.
    void release() { m_hold.reset(); }

private:
    std::shared_ptr<Hold> m_hold;
};

// What was acquired through one lock object and is still held.
class Holds
{
public:
    // The owner's, if it has one and the session lives.
    std::shared_ptr<Lock::Hold> of(const Owner &owner) const;
    Lock add(Lock::Place place, Owner owner);

private:
    std::vector<std::weak_ptr<Lock::Hold>> m_holds;
};

// Anything that one session at a time, or few of them, can hold. Outlives its tasks.
class Lockable
{
public:
    Lockable() = default;
    Lockable(const Lockable &) = delete;
    Lockable &operator=(const Lockable &) = delete;
    virtual ~Lockable() = default;

    // Where its znodes are.
    virtual const zk::Path &path() const = 0;

    // Waits for as long as it takes; with a deadline: async::orTimeout(loop, lock.acquire(), 2s), which leaves no node
    // behind. `about` is stored in the node for people to read: who holds or waits. Throws SessionLost, TicketRevoked,
    // NumbersUsedUp.
    virtual async::Task<Lock> acquire(QByteArray about = {}, Owner owner = Owner()) = 0;

    // Nothing if it is not free. Waits for a server, one round trip, but for no other holder. Throws the same.
    virtual async::Task<std::optional<Lock>> tryAcquire(QByteArray about = {}, Owner owner = Owner()) = 0;
};

} // namespace drover::recipes
