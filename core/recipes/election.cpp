#include "recipes/election.h"

#include "recipes/line.h"
#include "recipes/persist.h"

namespace drover::recipes {

using zk::Answer;

async::Task<Leadership> Election::campaign(QByteArray id)
{
    Ticket::Taken taken = co_await Ticket::take(m_zk, m_directory, "latch-", id);
    co_await awaitTurn(taken.ticket, std::move(taken.line));
    co_return Leadership(std::move(taken.ticket));
}

async::Task<std::optional<Leader>> Election::leader()
{
    const auto list = [&] { return m_zk.children(m_directory); };
    for (;;) {
        const Answer<zk::Children> children = co_await persist(m_zk, list);
        const QByteArrayList order = inOrder(children->names);
        if (order.isEmpty())
            co_return std::nullopt;
        const zk::Path path = m_directory / order.front();
        const auto read = [&] { return m_zk.get(path); };
        const Answer<zk::Node> node = co_await persist(m_zk, read);
        if (node.ok())
            co_return Leader{node->data, Fence{path, node->stat.czxid, node->stat.ephemeralOwner}};
    }
}

} // namespace drover::recipes
