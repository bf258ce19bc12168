#pragma once

#include "recipes/blocks/own_node.h"

#include <memory>
#include <optional>
#include <vector>

namespace drover::recipes {

// The owner of a lock. Locks are re-entrant by owner, as Java's are by thread. A copy is equal to its original; a new
// object is another owner. An owner must await one acquire before it starts the next.
class Owner
{
public:
    Owner() : m_identity(std::make_shared<char>()) { }

    friend bool operator==(const Owner &, const Owner &) = default;

private:
    std::shared_ptr<const char> m_identity;
};

// The result of acquire(). The lock is held until this object is destroyed or released, or until the session ends.
// Movable. An owner that acquires again gets another Lock on its node; the last of them deletes the node.
class Lock
{
public:
    explicit Lock(OwnNode node) : m_node(std::make_shared<OwnNode>(std::move(node))) { }
    explicit Lock(std::shared_ptr<OwnNode> node) : m_node(std::move(node)) { }
    Lock(Lock &&) noexcept = default;
    Lock &operator=(Lock &&) noexcept = default;

    bool isHeld() const { return m_node != nullptr; }

    // Call these only while the lock is held. Check the fence in every write that the lock protects; see Fence.
    const Fence &fence() const { return m_node->fence(); }
    zk::Client &client() const { return m_node->client(); }

    // Releases the lock without waiting for the server. The delete is sent at once, before all later requests on this
    // connection. If the connection breaks, it is repeated behind the requests that wait for the next one.
    void release() { m_node.reset(); }
    // Releases the lock as release() does, and tells the caller whether a server has accepted that. The future throws
    // AccessDenied if the directory's ACL no longer lets this session delete its node. The lock then stays taken until
    // the session ends: close the session to free it. It also throws SessionLost. If the owner holds the lock through
    // another Lock, nothing is deleted yet, and the future is settled at once.
    async::Future<zk::Nothing> releaseAndConfirm();

private:
    std::shared_ptr<OwnNode> m_node;
};

// A lock or semaphore: one session, or a limited number of them, can hold it. It must outlive its tasks.
class Lockable
{
public:
    Lockable() = default;
    Lockable(const Lockable &) = delete;
    Lockable &operator=(const Lockable &) = delete;
    virtual ~Lockable() = default;

    // The directory or path of its znodes.
    virtual const zk::Path &path() const = 0;

    // Waits without limit. For a deadline use async::orTimeout(loop, lock.acquire(), 2s), which leaves no node behind.
    // `about` is stored in the node and tells people who holds or waits. Throws SessionLost, TicketRevoked and
    // NumbersUsedUp.
    virtual async::Task<Lock> acquire(QByteArray about = {}, Owner owner = Owner()) = 0;

    // Returns nothing if the lock is not free. It waits for a server, one round trip, but not for a holder. Throws the
    // errors of acquire().
    virtual async::Task<std::optional<Lock>> tryAcquire(QByteArray about = {}, Owner owner = Owner()) = 0;
};

// A lock that its owner may acquire again while holding it; the owner then shares its present node. An object only
// knows the locks that were acquired through it.
class ReentrantLock : public Lockable
{
public:
    async::Task<Lock> acquire(QByteArray about = {}, Owner owner = Owner()) final;
    async::Task<std::optional<Lock>> tryAcquire(QByteArray about = {}, Owner owner = Owner()) final;

    // The node of this owner, if it holds the lock through this object and the session lives.
    std::shared_ptr<OwnNode> heldBy(const Owner &owner) const;

protected:
    // Takes the lock for an owner that does not hold it. Throws the errors of acquire().
    virtual async::Task<OwnNode> take(QByteArray about, Owner owner) = 0;
    virtual async::Task<std::optional<OwnNode>> tryTake(QByteArray about, Owner owner) = 0;

private:
    struct Held {
        std::weak_ptr<OwnNode> node;
        Owner owner;
    };

    Lock add(OwnNode node, Owner owner);

    std::vector<Held> m_held;
};

} // namespace drover::recipes
