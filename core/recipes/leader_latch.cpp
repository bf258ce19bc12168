#include "recipes/leader_latch.h"

#include "recipes/child_nodes.h"
#include "recipes/line.h"
#include "recipes/persist.h"

#include <algorithm>

namespace drover::recipes {

using zk::Answer;

namespace {

// Tells the listener each change once.
class Teller
{
public:
    Teller(LeaderLatch::Listener listener, LeaderLatch::CloseMode mode) : m_listener(std::move(listener)), m_mode(mode)
    {
    }
    Teller(const Teller &) = delete;
    Teller &operator=(const Teller &) = delete;
    ~Teller()
    {
        if (m_mode == LeaderLatch::CloseMode::NotifyLeader)
            tell(nullptr);
    }

    void tell(Leadership *leadership)
    {
        if (std::exchange(m_leading, leadership != nullptr) != m_leading)
            m_listener(leadership);
    }

private:
    LeaderLatch::Listener m_listener;
    LeaderLatch::CloseMode m_mode;
    bool m_leading = false;
};

} // namespace

async::Task<Leadership> LeaderLatch::campaign(QByteArray id)
{
    for (;;) {
        try {
            Ticket::Taken taken = co_await Ticket::take(m_zk, m_directory, m_kind, id);
            co_await awaitTurn(taken.ticket, std::move(taken.line));
            co_return Leadership(std::move(taken.ticket));
        } catch (const TicketRevoked &) { // held nothing yet: stands again
        }
    }
}

async::Task<void> LeaderLatch::participate(QByteArray id, Listener listener, CloseMode mode)
{
    for (;;) {
        Leadership leadership = co_await campaign(id);
        Teller teller(listener, mode);
        bool ours = true;
        while (ours) {
            teller.tell(leadership.certain() ? &leadership : nullptr);
            co_await leadership.doubtful();
            teller.tell(nullptr);
            co_await m_zk.connected();
            ours = co_await leadership.confirmed();
        }
    }
}

async::Task<std::optional<Participant>> LeaderLatch::leader()
{
    const auto list = [&] { return m_zk.children(m_directory); };
    for (;;) {
        const Answer<zk::Children> children = co_await persist(m_zk, list);
        const QByteArrayList order = inOrder(children->names);
        if (order.isEmpty())
            co_return std::nullopt;
        std::optional<Participant> first = co_await holderOf(m_zk, m_directory / order.front());
        if (first)
            co_return first;
    }
}

async::Task<std::vector<Participant>> LeaderLatch::participants()
{
    std::vector<ChildNode> nodes = co_await childNodes(m_zk, m_directory);
    std::erase_if(nodes, [](const ChildNode &child) { return !zk::sequenceOf(child.name); });
    std::sort(nodes.begin(), nodes.end(), [](const ChildNode &a, const ChildNode &b) {
        return zk::sequenceBefore(*zk::sequenceOf(a.name), *zk::sequenceOf(b.name));
    });
    std::vector<Participant> participants;
    for (const auto &[name, node] : nodes)
        participants.push_back({node.data, Fence{m_directory / name, node.stat.czxid, node.stat.ephemeralOwner}});
    co_return participants;
}

} // namespace drover::recipes
