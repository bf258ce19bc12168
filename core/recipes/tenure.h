#pragma once

#include "recipes/named_node.h"
#include "recipes/ticket.h"

#include <variant>

namespace drover::recipes {

// Something that is held through an ephemeral node of our own: a leadership, a membership. Held until it is given up or
// destroyed, until the session ends, or until somebody else deletes the node. Movable; the tasks that it gives may
// outlive it, but not the loop.
class Tenure
{
public:
    // Why it is held no longer.
    enum class End { GivenUp, SessionLost, Deleted };

    explicit Tenure(Ticket ticket);
    explicit Tenure(NamedNode node);
    Tenure(Tenure &&) noexcept = default;
    Tenure &operator=(Tenure &&other) noexcept;
    ~Tenure() { giveUp(); }

    // As of the moment when it was granted; to be checked in every write that only the holder may make.
    const Fence &fence() const { return m_fence; }
    // Null once that has been destroyed.
    zk::Coordinator *coordinator() const { return m_zk; }

    // False as soon as the session is not connected: another may hold it before we hear of that. Even when true only
    // the fence is proof (the process may stand still after asking).
    bool certain() const;

    // Returns when it is not certain any more: connection lost, session lost, node deleted or given up. One watch.
    async::Task<void> doubtful() const;
    // Returns when it is over for good, and says why. Lost connections are waited out.
    async::Task<End> ended() const;
    // Asks the server whether it is still held, after a doubt. Throws SessionLost.
    async::Task<bool> confirmed() const;

    // Without waiting for the server.
    void giveUp();

    // What doubtful() waits for, side by side, for firstOf().
    std::vector<async::Task<void>> doubts() const;

private:
    std::variant<Ticket, NamedNode> m_node;
    Fence m_fence;
    QPointer<zk::Coordinator> m_zk;
    std::shared_ptr<bool> m_givenUp = std::make_shared<bool>(false);
};

// Runs `task` until it ends or the tenure is doubtful, which destroys it at the next turn of the loop. True if it ended
// by itself; rethrows what it threw, but not what it threw because of that doubt. The tenure must outlive this.
async::Task<bool> whileCertain(const Tenure &tenure, async::Task<void> task);

} // namespace drover::recipes
