#include "recipes/elections/leader_latch.h"

#include "recipes/blocks/child_nodes.h"
#include "recipes/blocks/persistent.h"

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
            co_await awaitTurn(taken.ticket, std::move(taken.line), m_rules);
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
            teller.tell(leadership.isCertain() ? &leadership : nullptr);
            co_await leadership.suspected();
            teller.tell(nullptr);
            co_await m_zk.connected();
            ours = co_await leadership.confirmed();
        }
    }
}

async::Task<void> LeaderLatch::follow(std::function<void(const std::optional<Participant> &)> onChange)
{
    std::optional<zk::Zxid> told; // the last reported leader's token; 0: no leader
    for (;;) {
        zk::Watch watch;
        const QByteArrayList seen = co_await childNames(m_zk, m_directory, &watch);
        const QByteArrayList order = sortedBySequence(seen);
        std::optional<Participant> first;
        if (!order.isEmpty()) {
            first = co_await holderOf(m_zk, m_directory / order.front());
            if (!first) // has just gone: the watch tells
                continue;
        }
        const zk::Zxid token = first ? first->fence.czxid : 0;
        if (told != token)
            onChange(first);
        told = token;
        const async::Future<zk::WatchEvent> changed = watch.fired();
        co_await changed;
    }
}

async::Task<std::optional<Participant>> LeaderLatch::leader()
{
    for (;;) {
        const Answer<zk::Children> children = co_await Persistent(m_zk).children(m_directory);
        const QByteArrayList order = sortedBySequence(children->names);
        if (order.isEmpty())
            co_return std::nullopt;
        std::optional<Participant> first = co_await holderOf(m_zk, m_directory / order.front());
        if (first)
            co_return first;
    }
}

} // namespace drover::recipes
