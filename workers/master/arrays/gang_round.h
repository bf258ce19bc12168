#pragma once

#include "jobs/model/array_progress.h"
#include "jobs/model/cluster.h"
#include "workers/master/arrays/expanding_array.h"
#include "workers/master/arrays/gang_round_node.h"

namespace drover::workers {

// The present round of a gang: what the gang's node says of it, and the round's own node. That node exists from the
// creation of the first members to the end of the round.
class GangRound
{
public:
    // `wake` is called from the loop when the members that have a place have changed.
    GangRound(const jobs::Cluster &cluster, const jobs::JobId &gang, std::function<void()> wake)
        : m_cluster(cluster), m_gang(gang), m_wake(std::move(wake))
    {
    }

    // What the gang's node says now. To be called before all others.
    void set(jobs::GangSize size, const jobs::GangRounds &rounds);
    const jobs::GangRounds &known() const { return m_rounds; }

    qint32 first() const { return m_size.firstOf(m_rounds.round); } // its first task
    qint32 end() const { return m_size.endOf(m_rounds.round); } // the task after its last
    // Whether members have been created.
    bool isUnderWay(const jobs::ArrayProgress &progress) const { return progress.next > first(); }
    // Its node says so, or said so before it was deleted. Never true of a round that was withdrawn.
    bool hasBegun() const;

    // Follows the node of the present round, if it does not yet. It stays until forget(), or a round later.
    GangRoundNode &follow();
    GangRoundNode &node() { return *m_node; } // after follow()
    void forget() { m_node.reset(); }

    // A member without a place though its end is not reported. After follow(). Throws SessionLost, AccessDenied.
    async::Task<std::optional<GangRoundNode::Lost>> findLost(ListedTasks listed, jobs::ArrayProgress progress);

private:
    jobs::Cluster m_cluster;
    jobs::JobId m_gang;
    std::function<void()> m_wake;
    jobs::GangSize m_size;
    jobs::GangRounds m_rounds;
    std::unique_ptr<GangRoundNode> m_node;
};

} // namespace drover::workers
