#include "recipes/blocks/line.h"

#include "recipes/blocks/persistent.h"

#include <algorithm>
#include <optional>

namespace drover::recipes {

using zk::Answer;

namespace {

// A node of the line, and our watch on it.
struct Watched {
    QByteArray name;
    zk::Watch watch;

    // Sends a read that arms the watch on `next`, unless it is on it already.
    std::optional<zk::Reply<zk::Node>> turnTo(zk::Client &zk, const zk::Path &directory, const QByteArray &next)
    {
        if (name == next && watch.armed() && !watch.hasFired())
            return std::nullopt;
        name = next;
        return zk.get(directory / next, watch);
    }
};

struct Watches {
    Watched own;
    Watched nearest;
    Watched second;
};

// Notes whether the connection has broken. The watches that fired meanwhile are then reported in any order.
class Interruption
{
public:
    explicit Interruption(const zk::Client &zk)
        : m_connection(QObject::connect(&zk, &zk::Client::stateChanged, [this] { m_happened = true; }))
    {
    }
    Interruption(const Interruption &) = delete;
    Interruption &operator=(const Interruption &) = delete;
    ~Interruption() { QObject::disconnect(m_connection); }

    bool happened() const { return m_happened; }

private:
    bool m_happened = false;
    QMetaObject::Connection m_connection;
};

// Returns when the line up to our own node has changed; true if that made it our turn. Throws ConnectionLoss.
async::Task<bool> awaitChange(zk::Client &zk, const Ticket &ticket, Watches &watches, QByteArrayList ahead,
                              LineRules::Test isFinal)
{
    const zk::Path directory = ticket.directory();
    const Interruption interruption(zk);
    Watched &own = watches.own;
    Watched &nearest = watches.nearest;
    Watched &second = watches.second;
    if (second.name == ahead.back())
        std::swap(nearest, second); // the nearest has given up its place
    const auto watchingNearest = nearest.turnTo(zk, directory, ahead.back());
    const auto watchingOwn = own.turnTo(zk, directory, ticket.name());
    std::optional<zk::Reply<zk::Node>> watchingSecond;
    if (ahead.size() > 1)
        watchingSecond = second.turnTo(zk, directory, ahead[ahead.size() - 2]);
    const bool last = ahead.size() == 1 && isFinal(ahead.back());
    const auto isOurs = [&] { return last && !own.watch.hasFired() && !interruption.happened(); };
    bool nearestIsGone = false;
    if (watchingNearest) {
        const Answer<zk::Node> node = co_await *watchingNearest;
        nearestIsGone = !node.ok();
    }
    if (watchingOwn) {
        const Answer<zk::Node> node = co_await *watchingOwn;
        if (!node.ok())
            throw TicketRevoked(ticket.path());
    }
    if (nearestIsGone)
        co_return isOurs();
    if (watchingSecond) {
        const Answer<zk::Node> node = co_await *watchingSecond;
        if (!node.ok())
            co_return false;
    }
    const async::Future<zk::WatchEvent> ownFired = own.watch.fired();
    const async::Future<zk::WatchEvent> nearestFired = nearest.watch.fired();
    if (ahead.size() > 1) {
        const async::Future<zk::WatchEvent> secondFired = second.watch.fired();
        co_await async::anyReady(ownFired, nearestFired, secondFired);
    } else {
        co_await async::anyReady(ownFired, nearestFired);
    }
    if (!nearestFired.ready())
        co_return false;
    const zk::WatchEvent event = co_await nearestFired;
    co_return event.type == zk::WatchEvent::Type::Deleted &&isOurs();
}

} // namespace

QByteArrayList sortedBySequence(QByteArrayList names)
{
    std::vector<std::pair<qint32, QByteArray>> numbered;
    numbered.reserve(static_cast<std::size_t>(names.size()));
    for (QByteArray &name : names) {
        if (const std::optional<qint32> number = zk::sequenceOf(name))
            numbered.emplace_back(*number, std::move(name));
    }
    std::sort(numbered.begin(), numbered.end(),
              [](const auto &a, const auto &b) { return zk::sequenceBefore(a.first, b.first); });
    QByteArrayList order;
    order.reserve(static_cast<qsizetype>(numbered.size()));
    for (auto &[number, name] : numbered)
        order.append(std::move(name));
    return order;
}

QByteArrayList aheadOf(const Ticket &ticket, const QByteArrayList &line, const LineRules &rules)
{
    const QByteArrayList order = sortedBySequence(line);
    const qsizetype place = order.indexOf(ticket.name());
    if (place < 0)
        throw TicketRevoked(ticket.path());
    requireOnly(ticket.directory(), line, rules.accepts);
    QByteArrayList ahead = order.first(place);
    ahead.removeIf([&](const QByteArray &name) { return !rules.blocks(name); });
    return ahead;
}

async::Task<void> awaitTurn(const Ticket &ticket, std::optional<QByteArrayList> line, LineRules rules)
{
    zk::Client &zk = ticket.client();
    const zk::Path directory = ticket.directory();
    Watches watches;
    for (;;) {
        if (!line) {
            const Answer<zk::Children> children = co_await Persistent(zk).children(directory);
            line = children->names;
        }
        const QByteArrayList ahead = aheadOf(ticket, *std::exchange(line, std::nullopt), rules);
        if (ahead.isEmpty())
            co_return;
        try {
            const bool ours = co_await awaitChange(zk, ticket, watches, ahead, rules.isFinal);
            if (ours)
                co_return;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

async::Task<Ticket> takeTurn(zk::Client &zk, zk::Path directory, Ticket::Form form, QByteArray data, LineRules rules)
{
    Ticket::Taken taken = co_await Ticket::take(zk, directory, form, data);
    co_await awaitTurn(taken.ticket, std::move(taken.line), rules);
    co_return std::move(taken.ticket);
}

async::Task<std::optional<Ticket>> tryTurn(zk::Client &zk, zk::Path directory, Ticket::Form form, QByteArray data,
                                           LineRules rules)
{
    Ticket::Taken taken = co_await Ticket::take(zk, directory, form, data);
    if (!taken.line) {
        const Answer<zk::Children> children = co_await Persistent(zk).children(directory);
        taken.line = children->names;
    }
    if (aheadOf(taken.ticket, *taken.line, rules).isEmpty())
        co_return std::move(taken.ticket);
    co_return std::nullopt;
}

} // namespace drover::recipes
