#include "recipes/blocks/ticket.h"

#include "recipes/blocks/orphan_guard.h"
#include "recipes/blocks/persistent.h"

namespace drover::recipes {

using zk::Answer;
using zk::Code;

namespace {

QByteArray newUuid(const zk::Client &zk)
{
    return zk.loop().makeUuid().toByteArray(QUuid::WithoutBraces);
}

QByteArray protectedPrefix(const zk::Client &zk, const QByteArray &kind)
{
    return "_c_" + newUuid(zk) + '-' + kind;
}

CreateMark markOf(const zk::Client &zk, const Ticket::Form &form)
{
    if (form.style() == Ticket::Style::Protected)
        return {protectedPrefix(zk, form.kind()), {}};
    return {form.kind() + QByteArray::number(zk.sessionId()) + '-', newUuid(zk) + ' '};
}

// The node that a create whose reply was lost has left, if it was carried out.
async::Task<std::optional<Ticket>> adopt(zk::Client &zk, zk::Path directory, const CreateMark &mark)
{
    const Answer<zk::Children> children = co_await Persistent(zk).afterSync(directory).children(directory);
    for (const QByteArray &name : children->names) {
        if (!name.startsWith(mark.prefix))
            continue;
        const zk::Path path = directory / name;
        const Answer<zk::Node> node = co_await Persistent(zk).get(path);
        if (!node.ok() || node->stat.ephemeralOwner != zk.sessionId())
            continue;
        if (node->data.startsWith(mark.data))
            co_return Ticket(zk, path, node->stat);
    }
    co_return std::nullopt;
}

} // namespace

NumbersUsedUp::NumbersUsedUp(const zk::Path &directory)
    : zk::Error(
        zk::Code::BadArguments,
        QStringLiteral("%1 has given out all its numbers: delete it while it is not in use").arg(directory.toString()))
{
}

TicketRevoked::TicketRevoked(const zk::Path &path)
    : zk::Error(
        zk::Code::NoNode,
        QStringLiteral("%1 was deleted by another program: it has lost its place in the line").arg(path.toString()))
{
}

Ticket::Ticket(zk::Client &zk, zk::Path path, const zk::Stat &stat)
    : Ticket(zk, Fence{std::move(path), stat.czxid, stat.ephemeralOwner})
{
}

async::Task<Ticket::Taken> Ticket::take(zk::Client &zk, zk::Path directory, Form form, QByteArray data)
{
    if (form.style() == Style::BySession)
        co_await zk.connected(); // there is no session id before
    const CreateMark mark = markOf(zk, form);
    data.prepend(mark.data);
    OrphanGuard orphan(zk, directory, mark);
    for (;;) {
        std::optional<Ticket> ticket;
        try {
            orphan.arm();
            const auto creating = zk.create(directory / mark.prefix, data, zk::CreateMode::EphemeralSequential);
            const auto listing = zk.children(directory);
            const Answer<zk::Created> created = co_await creating;
            orphan.disarm();
            if (created.ok()) {
                ticket.emplace(zk, created->path, created->stat);
                if (zk::sequenceOf(ticket->name()) == zk::LastSequence)
                    throw NumbersUsedUp(directory);
                const Answer<zk::Children> line = co_await listing;
                if (!line.ok()) // the directory was deleted in between, and our node with it
                    continue;
                co_return Taken{std::move(*ticket), line->names};
            }
            created.requireUnless(Code::NoNode);
            co_await zk.ensurePath(directory);
            continue;
        } catch (const zk::ConnectionLoss &) {
        }
        if (ticket)
            co_return Taken{std::move(*ticket), std::nullopt};
        co_await zk.connected();
        ticket = co_await adopt(zk, directory, mark);
        orphan.disarm();
        if (ticket)
            co_return Taken{std::move(*ticket), std::nullopt};
    }
}

async::Task<Ticket> Ticket::takeBeside(const OwnNode &held, QByteArray kind, QByteArray data)
{
    zk::Client &zk = held.client();
    const QByteArray name = protectedPrefix(zk, kind) + zk::sequenceText(zk::sequenceOf(held.name()).value());
    const zk::Path path = held.directory() / name;
    zk::Transaction transaction;
    held.fence().guard(transaction).create(path, data, zk::CreateMode::Ephemeral);

    const CreateMark mark{name, {}};
    OrphanGuard orphan(zk, held.directory(), mark);
    orphan.arm();
    const Answer<zk::Committed> committed = co_await Persistent(zk).commit(transaction);
    if (committed->refusedAt() == 0u)
        throw TicketRevoked(held.path());
    committed.requireUnless(Code::NodeExists); // then an earlier try was carried out: the name is ours alone
    const Answer<zk::Stat> stat = co_await Persistent(zk).exists(path);
    orphan.disarm();
    if (!stat.ok())
        throw TicketRevoked(path);
    Fence fence{path, stat->czxid, stat->ephemeralOwner};
    fence.heldSince = held.fence().heldSince.value_or(held.fence().czxid);
    co_return Ticket(zk, std::move(fence));
}

} // namespace drover::recipes
