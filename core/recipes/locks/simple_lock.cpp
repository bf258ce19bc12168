#include "recipes/locks/simple_lock.h"

#include "recipes/blocks/named_node.h"

namespace drover::recipes {

async::Task<OwnNode> SimpleLock::take(QByteArray about, Owner)
{
    NamedNode node = co_await NamedNode::take(m_zk, m_path, about, NamedNode::epochBeside(m_path));
    co_return std::move(node);
}

async::Task<std::optional<OwnNode>> SimpleLock::tryTake(QByteArray about, Owner)
{
    NamedNode::Terms terms;
    terms.epoch = zk::Transaction::Check{NamedNode::epochBeside(m_path), zk::AnyVersion};
    NamedNode::Taken taken = co_await NamedNode::tryTake(m_zk, m_path, about, terms);
    if (!taken.node)
        co_return std::nullopt;
    co_return std::move(*taken.node);
}

} // namespace drover::recipes
