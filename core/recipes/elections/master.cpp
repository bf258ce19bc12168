#include "recipes/elections/master.h"

namespace drover::recipes {

async::Task<Leadership> Master::campaign(QByteArray endpoint)
{
    NamedNode node = co_await NamedNode::take(m_zk, m_path, endpoint, NamedNode::epochBeside(m_path));
    co_return Leadership(std::move(node));
}

async::Task<std::optional<Participant>> Master::master()
{
    return holderOf(m_zk, m_path);
}

} // namespace drover::recipes
