#include "workers/sim/manual_deleter.h"

namespace drover::test {

using zk::Answer;

async::Task<void> ManualDeleter::deleteSome(zk::Client &zk, int rounds)
{
    co_await zk.connected();
    for (; rounds > 0; --rounds) {
        co_await async::sleepFor(zk.loop(), std::chrono::milliseconds(m_random.below(1000)));
        const Kind kind = co_await someKind(zk);
        const bool done = co_await doSome(zk, kind);
        m_counts[static_cast<std::size_t>(kind)] += done;
    }
    for (const QByteArray &queue : m_queues)
        co_await zk.remove(m_layout.returned(queue));
}

// Rounds of gangs are there for moments only.
async::Task<ManualDeleter::Kind> ManualDeleter::someKind(zk::Client &zk)
{
    const std::optional<zk::Path> round = co_await someOf(zk, m_layout.gangs());
    if (round && m_random.chance(0.3))
        co_return m_random.chance(0.7) ? Kind::GangMemberNode : Kind::GangRound;
    co_return m_random.chance(0.4) ? Kind::Claim : static_cast<Kind>(m_random.below(KindCount));
}

async::Task<bool> ManualDeleter::doSome(zk::Client &zk, Kind kind)
{
    switch (kind) {
    case Kind::Claim:
        co_return co_await removeSomeOf(zk, m_layout.claims());
    case Kind::Job:
        co_return co_await removeSomeOf(zk, m_layout.queue(someQueue()));
    case Kind::IdlePlace:
        co_return co_await removeSomeOf(zk, m_layout.idle(someQueue()));
    case Kind::GangMemberNode:
    case Kind::GangRound: {
        const std::optional<zk::Path> round = co_await someOf(zk, m_layout.gangs());
        if (!round)
            co_return false;
        if (kind == Kind::GangMemberNode)
            co_return co_await removeSomeOf(zk, *round);
        co_return co_await removeWhole(zk, *round);
    }
    case Kind::Ticket:
    case Kind::Permit: {
        const bool ofLimit = kind == Kind::Permit || m_random.chance(0.3);
        const zk::Path all = ofLimit ? m_layout.limits() : m_layout.locks();
        const std::optional<zk::Path> of = co_await someOf(zk, all);
        if (!of)
            co_return false;
        const zk::Path line = !ofLimit ? *of : *of / (kind == Kind::Permit ? "leases" : "locks");
        co_return co_await removeSomeOf(zk, line);
    }
    case Kind::WaitingNote:
        co_return co_await remove(zk, m_layout.waiting(someQueue()));
    case Kind::Returned:
        co_return co_await toggleReturned(zk, m_layout.returned(someQueue()));
    }
    co_return false;
}

async::Task<std::optional<zk::Path>> ManualDeleter::someOf(zk::Client &zk, zk::Path parent)
{
    const Answer<zk::Children> children = co_await zk.children(parent);
    if (!children.ok() || children->names.isEmpty())
        co_return std::nullopt;
    co_return parent / children->names[m_random.below(static_cast<int>(children->names.size()))];
}

async::Task<bool> ManualDeleter::remove(zk::Client &zk, zk::Path path)
{
    const Answer<zk::Nothing> removed = co_await zk.remove(path);
    co_return removed.ok();
}

async::Task<bool> ManualDeleter::removeSomeOf(zk::Client &zk, zk::Path parent)
{
    const std::optional<zk::Path> path = co_await someOf(zk, std::move(parent));
    if (!path)
        co_return false;
    co_return co_await remove(zk, *path);
}

// As the shell's `deleteall` does: one by one.
async::Task<bool> ManualDeleter::removeWhole(zk::Client &zk, zk::Path path)
{
    const Answer<zk::Children> children = co_await zk.children(path);
    if (!children.ok())
        co_return false;
    for (const QByteArray &name : children->names)
        co_await zk.remove(path / name);
    co_return co_await remove(zk, path);
}

async::Task<bool> ManualDeleter::toggleReturned(zk::Client &zk, zk::Path path)
{
    const Answer<zk::Created> made = co_await zk.create(path, QByteArray());
    if (!made.ok())
        co_await zk.remove(path);
    co_return made.ok();
}

} // namespace drover::test
