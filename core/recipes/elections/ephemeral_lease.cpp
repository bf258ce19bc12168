#include "recipes/elections/ephemeral_lease.h"

#include "async/first_of.h"
#include "recipes/blocks/persistent.h"
#include "recipes/blocks/until_gone.h"

namespace drover::recipes {

using zk::Answer;
using zk::Client;

namespace {

async::Task<void> untilGoneOrLost(Client &zk, Fence fence)
{
    try {
        co_await untilGone(zk, fence.path, fence.czxid);
    } catch (const zk::SessionLost &) {
    }
}

async::Task<void> untilNow()
{
    co_return;
}

async::Task<EphemeralLease::End> untilEnded(QPointer<Client> zk, Fence fence, std::shared_ptr<bool> givenUp)
{
    EphemeralLease::End end = EphemeralLease::End::SessionLost;
    try {
        if (zk) {
            co_await untilGone(*zk, fence.path, fence.czxid);
            end = EphemeralLease::End::Deleted;
        }
    } catch (const zk::SessionLost &) {
    }
    co_return *givenUp ? EphemeralLease::End::GivenUp : end;
}

async::Task<bool> isThere(Client &zk, Fence fence)
{
    const Answer<zk::Stat> stat = co_await Persistent(zk).exists(fence.path);
    co_return stat.ok() && stat->czxid == fence.czxid;
}

async::Task<void> note(async::Task<void> task, bool &ended)
{
    co_await task;
    ended = true;
}

} // namespace

EphemeralLease &EphemeralLease::operator=(EphemeralLease &&other) noexcept
{
    std::swap(m_node, other.m_node);
    std::swap(m_givenUp, other.m_givenUp);
    return *this;
}

bool EphemeralLease::isCertain() const
{
    return m_givenUp && !*m_givenUp && client() && client()->state() == Client::State::Connected;
}

std::vector<async::Task<void>> EphemeralLease::suspicions() const
{
    std::vector<async::Task<void>> suspicions;
    if (!isCertain()) {
        suspicions.push_back(untilNow());
        return suspicions;
    }
    suspicions.push_back(client()->interrupted());
    suspicions.push_back(untilGoneOrLost(*client(), fence()));
    return suspicions;
}

async::Task<void> EphemeralLease::suspected() const
{
    return client() ? async::firstOf(client()->loop(), suspicions()) : untilNow();
}

async::Task<EphemeralLease::End> EphemeralLease::ended() const
{
    return untilEnded(client(), fence(), m_givenUp);
}

async::Task<bool> EphemeralLease::confirmed() const
{
    return isThere(*client(), fence());
}

void EphemeralLease::giveUp()
{
    if (!m_givenUp) // moved from
        return;
    *m_givenUp = true;
    m_node.giveUp();
}

async::Task<bool> whileLeaseCertain(const EphemeralLease &lease, async::Task<void> task)
{
    if (!lease.isCertain())
        co_return false;
    bool ended = false;
    std::vector<async::Task<void>> parts = lease.suspicions();
    parts.push_back(note(std::move(task), ended));
    co_await async::firstOf(lease.client()->loop(), std::move(parts));
    co_return ended;
}

} // namespace drover::recipes
