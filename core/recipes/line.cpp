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
                              QByteArrayList ahead)
{
    if (second.name == ahead.back())
        std::swap(nearest, second); // the nearest has given up its place
    const auto watchingNearest = nearest.turnTo(zk, directory, ahead.back());
    std::optional<zk::Reply<zk::Node>> watchingSecond;
    if (ahead.size() > 1)
        watchingSecond = second.turnTo(zk, directory, ahead[ahead.size() - 2]);
    if (watchingNearest) {
        const Answer<zk::Node> node = co_await *watchingNearest;
        if (!node.ok())
            co_return ahead.size() == 1;
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
    co_return event.type == zk::WatchEvent::Type::Deleted;
}

} // namespace

TicketRevoked::TicketRevoked(const zk::Path &path)
    : zk::Error(zk::Code::NoNode,
                QStringLiteral("%1 was deleted by somebody else while it stood in line").arg(path.toString()))
{
}

QByteArrayList inOrder(QByteArrayList names)
{
    names.removeIf([](const QByteArray &name) { return !zk::sequenceOf(name); });
    std::sort(names.begin(), names.end(), [](const QByteArray &a, const QByteArray &b) {
        return zk::sequenceBefore(*zk::sequenceOf(a), *zk::sequenceOf(b));
    });
    return names;
}

async::Task<void> awaitTurn(const Ticket &ticket, std::optional<QByteArrayList> line)
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
        const QByteArrayList order = inOrder(*std::exchange(line, std::nullopt));
        const qsizetype place = order.indexOf(ticket.name());
        if (place < 0)
            throw TicketRevoked(ticket.path());
        if (place == 0)
            co_return;
        try {
            const bool ours = co_await awaitChange(zk, directory, nearest, second, order.first(place));
            if (ours)
                co_return;
        } catch (const zk::ConnectionLoss &) {
        }
    }
}

} // namespace drover::recipes
