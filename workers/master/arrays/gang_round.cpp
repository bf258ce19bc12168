#include "workers/master/arrays/gang_round.h"

namespace drover::workers {

void GangRound::set(jobs::GangSize size, const jobs::GangRounds &rounds)
{
    m_size = size;
    m_rounds = rounds;
}

bool GangRound::hasBegun() const
{
    const bool stored = m_rounds.begunAt.count() > 0; // and stays true when its nodes are deleted
    return m_rounds.fate != jobs::GangRounds::Fate::Withdrawn && (stored || (m_node && m_node->hasBegun()));
}

GangRoundNode &GangRound::follow()
{
    const zk::Path path = m_cluster.layout.gang(m_gang, m_rounds.round);
    if (!m_node || m_node->path() != path)
        m_node = std::make_unique<GangRoundNode>(m_cluster.zk, path, m_wake);
    return *m_node;
}

async::Task<std::optional<GangRoundNode::Lost>> GangRound::findLost(ListedTasks listed, jobs::ArrayProgress progress)
{
    std::map<int, zk::Path> unfinished;
    for (const qint32 place : progress.open) {
        const auto entry = listed.constFind(place);
        if (entry != listed.constEnd())
            unfinished.emplace(m_size.rankOf(place), m_cluster.layout.job(m_gang.queue, *entry));
    }
    co_return co_await m_node->findLost(std::move(unfinished));
}

} // namespace drover::workers
