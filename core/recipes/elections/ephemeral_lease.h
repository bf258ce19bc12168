#pragma once

#include "recipes/blocks/own_node.h"

namespace drover::recipes {

// A leadership or a membership, held through an ephemeral node of our own. It is held until it is given up or
// destroyed, until the session ends, or until another program deletes the node. Movable. The tasks that it returns may
// outlive it, but not the loop.
class EphemeralLease
{
public:
    // Why the lease is no longer held.
    enum class End { GivenUp, SessionLost, Deleted };

    explicit EphemeralLease(OwnNode node) : m_node(std::move(node)) { }
    EphemeralLease(EphemeralLease &&) noexcept = default;
    EphemeralLease &operator=(EphemeralLease &&other) noexcept;
    ~EphemeralLease() { giveUp(); }

    // Check it in every write that only the holder may make.
    const Fence &fence() const { return m_node.fence(); }
    // Null once the session's object has been destroyed.
    zk::Client *client() const { return m_node.session(); }

    // False as soon as the session is not connected, because another session may hold it before this one notices. Even
    // true is not a proof, because the process may pause after the call: use the fence.
    bool isCertain() const;

    // Returns when the lease is no longer certain: connection lost, session lost, node deleted or given up. Uses one
    // watch.
    async::Task<void> suspected() const;
    // Returns when the lease has ended for good, with the reason. Lost connections are waited out.
    async::Task<End> ended() const;
    // Asks the server whether the lease is still held, after suspected() has returned. Throws SessionLost.
    async::Task<bool> confirmed() const;

    // Deletes the node without waiting for the server.
    void giveUp();

    // The tasks that suspected() passes to firstOf().
    std::vector<async::Task<void>> suspicions() const;

private:
    OwnNode m_node;
    std::shared_ptr<bool> m_givenUp = std::make_shared<bool>(false);
};

// Runs `task` until it ends or the lease is suspected, which destroys the task at the next turn of the loop. Returns
// true if the task ended by itself. Rethrows the exception of the task. The lease must outlive the returned task.
async::Task<bool> whileLeaseCertain(const EphemeralLease &lease, async::Task<void> task);

// The result of an election for its winner. The winner leads until it resigns, the Leadership is destroyed, or the
// session ends.
class Leadership : public EphemeralLease
{
public:
    using EphemeralLease::EphemeralLease;

    void resign() { giveUp(); }
};

} // namespace drover::recipes
