#include "recipes/blocks/own_node.h"

namespace drover::recipes {

using zk::Answer;

namespace {

// Deletes a holder's node. Throws ConnectionLoss.
async::Task<void> release(zk::Client &zk, Fence fence)
{
    zk::Transaction transaction;
    transaction.check(fence.epoch->path, fence.epoch->version).remove(fence.path);
    const Answer<zk::Committed> removed = co_await zk.commit(transaction);
    if (removed->refusedAt() == 0u) // a later holder's, or another program has changed the epoch
        zk.discardOwned(fence.path, fence.czxid);
}

} // namespace

OwnNode::OwnNode(zk::Client &zk, Fence fence, Name name) : m_zk(&zk), m_fence(std::move(fence)), m_name(name) { }

OwnNode::OwnNode(OwnNode &&other) noexcept
    : m_zk(other.m_zk), m_fence(std::move(other.m_fence)), m_name(other.m_name),
      m_exists(std::exchange(other.m_exists, false))
{
}

OwnNode &OwnNode::operator=(OwnNode &&other) noexcept
{
    std::swap(m_zk, other.m_zk);
    std::swap(m_fence, other.m_fence);
    std::swap(m_name, other.m_name);
    std::swap(m_exists, other.m_exists);
    return *this;
}

async::Future<zk::Nothing> OwnNode::remove()
{
    const auto answered = std::make_shared<async::Promise<zk::Nothing>>();
    async::Future<zk::Nothing> answer = answered->future();
    if (m_exists) {
        giveUp([answered](const std::exception_ptr &error) {
            if (error)
                answered->fail(error);
            else
                answered->set({});
        });
    } else {
        answered->set({});
    }
    return answer;
}

void OwnNode::giveUp(const zk::Client::CleanupEnd &end)
{
    if (!std::exchange(m_exists, false) || !m_zk)
        return;
    zk::Client *const zk = m_zk;
    if (m_fence.epoch)
        zk->retryInBackground([zk, fence = m_fence] { return release(*zk, fence); }, end);
    else if (m_name == Name::Fixed)
        zk->discardOwned(m_fence.path, m_fence.czxid, end);
    else
        zk->discard(m_fence.path, m_fence.czxid, end);
}

} // namespace drover::recipes
