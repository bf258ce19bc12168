#pragma once

#include "jobs/model/layout.h"
#include "support/seeded_random.h"
#include "zk/client.h"

#include <array>

namespace drover::test {

// A person who deletes single nodes that the cluster needs, and creates nodes that it does not expect.
class ManualDeleter
{
public:
    enum class Kind {
        Claim, // its worker becomes a zombie
        Job, // the checks must not miss it
        IdlePlace, // of a worker in line
        GangMemberNode, // of a member in its round
        GangRound, // with all that is in it
        Ticket, // of a lock, or for a limit
        Permit,
        WaitingNote, // by which the master is notified
        Returned, // made, where it should only come and go; and removed again
    };
    static constexpr std::size_t KindCount = 9;
    using Counts = std::array<qint64, KindCount>; // what was done, by kind

    ManualDeleter(SeededRandom &random, jobs::Layout layout, QByteArrayList queues)
        : m_random(random), m_layout(std::move(layout)), m_queues(std::move(queues))
    {
    }

    // Over a session without faults.
    async::Task<void> deleteSome(zk::Client &zk, int rounds);

    const Counts &counts() const { return m_counts; }

private:
    async::Task<Kind> someKind(zk::Client &zk);
    async::Task<bool> doSome(zk::Client &zk, Kind kind);
    async::Task<std::optional<zk::Path>> someOf(zk::Client &zk, zk::Path parent);
    async::Task<bool> remove(zk::Client &zk, zk::Path path);
    async::Task<bool> removeSomeOf(zk::Client &zk, zk::Path parent);
    async::Task<bool> removeWhole(zk::Client &zk, zk::Path path);
    async::Task<bool> toggleReturned(zk::Client &zk, zk::Path path);
    QByteArray someQueue() { return m_queues[m_random.below(static_cast<int>(m_queues.size()))]; }

    SeededRandom &m_random;
    jobs::Layout m_layout;
    QByteArrayList m_queues;
    Counts m_counts{};
};

} // namespace drover::test
