#include "recipes/line.h"

#include "recipes/persist.h"

#include <algorithm>
#include <optional>

namespace drover::recipes {

using zk::Answer;

namespace {

// One of those ahead of us, and the watch on it.
struct Ahead {
    QByteArray name;
    zk::Watch watch;

    // Sends a read that arms the watch on `next`, unless it is on it already.
    std::optional<zk::Reply<zk::Node>> turnTo(zk::Coordinator &zk, const zk::Path &directory, const QByteArray &next)
    {
        if (name == next && watch.armed() && !watch.hasFired())
            return std::nullopt;
        name = next;
        return zk.get(directory / next, watch);
    }
};

// Returns when the line ahead of us has changed; true if that made it our turn. ConnectionLoss is thrown.
async::Task<bool> awaitChange(zk::Coordinator &zk, zk::Path directory, Ahead &nearest, Ahead &second,
                              QByteArrayList ahead, Precedence::Test isFinal)
{
    const bool last = ahead.size() == 1 && isFinal(ahead.back());
    if (second.name == ahead.back())
        std::swap(nearest, second); // the nearest has given up its place
    const auto watchingNearest = nearest.turnTo(zk, directory, ahead.back());
    std::optional<zk::Reply<zk::Node>> watchingSecond;
    if (ahead.size() > 1)
        watchingSecond = second.turnTo(zk, directory, ahead[ahead.size() - 2]);
    if (watchingNearest) {
        const Answer<zk::Node> node = co_await *watchingNearest;
        if (!node.ok())
            co_return last;
    }
    if (watchingSecond) {
        const Answer<zk::Node> node = co_await *watchingSecond;
        if (!node.ok())
            co_return false;
    }
    const async::Future<zk::WatchEvent> nearestFired = nearest.watch.fired();
    if (ahead.size() > 1) {
        const async::Future<zk::WatchEvent> secondFired = second.watch.fired();
        co_await async::eitherReady(nearestFired, secondFired);
        co_return false;
    }
    const zk::WatchEvent event = co_await nearestFired;
    co_return last &&event.type == zk::WatchEvent::Type::Deleted;
}

} // namespace

QByteArrayList inOrder(QByteArrayList names)
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

QByteArrayList aheadOf(const Ticket &ticket, const QByteArrayList &line, const Precedence &precedence)
{
    const QByteArrayList order = inOrder(line);
    const qsizetype place = order.indexOf(ticket.name());
    if (place < 0)
        throw TicketRevoked(ticket.path());
    requireOnly(ticket.directory(), line, precedence.accepts);
    QByteArrayList ahead = order.first(place);
    ahead.removeIf([&](const QByteArray &name) { return !precedence.blocks(name); });
    return ahead;
}

async::Task<void> awaitTurn(const Ticket &ticket, std::optional<QByteArrayList> line, Precedence precedence)
{
    zk::Coordinator &zk = ticket.coordinator();
    const zk::Path directory = ticket.directory();
    const auto list = [&] { return zk.children(directory); };
    Ahead nearest;
    Ahead second;
    for (;;) {
        if (!line) {
            const Answer<zk::Children> children = co_await persist(zk, list);
            line = children->names;
        }
        const QByteArrayList ahead = aheadOf(ticket, *std::exchange(line, std::nullopt), precedence);
        if (ahead.isEmpty())
            co_return;
        try {
            const bool ours = co_await awaitChange(zk, directory, nearest, second, ahead, precedence.isFinal);
            if (ours)
                co_return;
        } catch (const zk::ConnectionLoss &) {
        }
    }
}

async::Task<Ticket> takeTurn(zk::Coordinator &zk, zk::Path directory, Ticket::Form form, QByteArray data,
                             Precedence precedence)
{
    Ticket::Taken taken = co_await Ticket::take(zk, directory, form, data);
    co_await awaitTurn(taken.ticket, std::move(taken.line), precedence);
    co_return std::move(taken.ticket);
}

async::Task<std::optional<Ticket>> tryTurn(zk::Coordinator &zk, zk::Path directory, Ticket::Form form, QByteArray data,
                                           Precedence precedence)
{
    Ticket::Taken taken = co_await Ticket::take(zk, directory, form, data);
    if (!taken.line) {
        const auto list = [&] { return zk.children(directory); };
        const Answer<zk::Children> children = co_await persist(zk, list);
        taken.line = children->names;
    }
    if (aheadOf(taken.ticket, *taken.line, precedence).isEmpty())
        co_return std::move(taken.ticket);
    co_return std::nullopt;
}

} // namespace drover::recipes
