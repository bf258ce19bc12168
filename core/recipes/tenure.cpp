#include "recipes/tenure.h"

#include "async/first_of.h"
#include "recipes/persist.h"
#include "recipes/until_gone.h"

namespace drover::recipes {

using zk::Answer;
using zk::Coordinator;

namespace {

async::Task<void> untilGoneOrLost(Coordinator &zk, Fence fence)
{
    try {
        co_await untilGone(zk, fence.path, fence.czxid);
    } catch (const zk::SessionLost &) {
    }
}

async::Task<void> untilDoubtful(async::Loop &loop, std::vector<async::Task<void>> doubts)
{
    co_await async::firstOf(loop, std::move(doubts));
}

async::Task<void> untilNow()
{
    co_return;
}

async::Task<Tenure::End> untilEnded(QPointer<Coordinator> zk, Fence fence, std::shared_ptr<bool> givenUp)
{
    Tenure::End end = Tenure::End::SessionLost;
    try {
        if (zk) {
            co_await untilGone(*zk, fence.path, fence.czxid);
            end = Tenure::End::Deleted;
        }
    } catch (const zk::SessionLost &) {
    }
    co_return *givenUp ? Tenure::End::GivenUp : end;
}

async::Task<bool> isThere(Coordinator &zk, Fence fence)
{
    const auto look = [&] { return zk.exists(fence.path); };
    const Answer<zk::Stat> stat = co_await persist(zk, look);
    co_return stat.ok() && stat->czxid == fence.czxid;
}

async::Task<void> note(async::Task<void> task, bool &ended)
{
    co_await task;
    ended = true;
}

} // namespace

Tenure::Tenure(Ticket ticket) : m_node(std::move(ticket)), m_fence(std::get<Ticket>(m_node).fence())
{
    m_zk = &std::get<Ticket>(m_node).coordinator();
}

Tenure::Tenure(NamedNode node) : m_node(std::move(node)), m_fence(std::get<NamedNode>(m_node).fence())
{
    m_zk = &std::get<NamedNode>(m_node).coordinator();
}

Tenure &Tenure::operator=(Tenure &&other) noexcept
{
    std::swap(m_node, other.m_node);
    std::swap(m_fence, other.m_fence);
    std::swap(m_zk, other.m_zk);
    std::swap(m_givenUp, other.m_givenUp);
    return *this;
}

bool Tenure::certain() const
{
    return m_givenUp && !*m_givenUp && m_zk && m_zk->state() == Coordinator::State::Connected;
}

std::vector<async::Task<void>> Tenure::doubts() const
{
    std::vector<async::Task<void>> doubts;
    if (!certain()) {
        doubts.push_back(untilNow());
        return doubts;
    }
    doubts.push_back(m_zk->interrupted());
    doubts.push_back(untilGoneOrLost(*m_zk, m_fence));
    return doubts;
}

async::Task<void> Tenure::doubtful() const
{
    return m_zk ? untilDoubtful(m_zk->loop(), doubts()) : untilNow();
}

async::Task<Tenure::End> Tenure::ended() const
{
    return untilEnded(m_zk, m_fence, m_givenUp);
}

async::Task<bool> Tenure::confirmed() const
{
    return isThere(*m_zk, m_fence);
}

void Tenure::giveUp()
{
    if (!m_givenUp) // moved from
        return;
    *m_givenUp = true;
    std::visit([](auto &node) { node.giveUp(); }, m_node);
}

async::Task<bool> whileCertain(const Tenure &tenure, async::Task<void> task)
{
    if (!tenure.certain())
        co_return false;
    bool ended = false;
    std::vector<async::Task<void>> parts = tenure.doubts();
    parts.push_back(note(std::move(task), ended));
    co_await async::firstOf(tenure.coordinator()->loop(), std::move(parts));
    co_return ended;
}

} // namespace drover::recipes
