#include "recipes/ticket.h"

#include "recipes/persist.h"
#include "recipes/unowned_create.h"

namespace drover::recipes {

using zk::Answer;
using zk::Code;

namespace {

QByteArray newUuid(const zk::Coordinator &zk)
{
    return zk.loop().makeUuid().toByteArray(QUuid::WithoutBraces);
}

QByteArray protectedPrefix(const zk::Coordinator &zk, const QByteArray &kind)
{
    return "_c_" + newUuid(zk) + '-' + kind;
}

Mark markOf(const zk::Coordinator &zk, const Ticket::Form &form)
{
    if (form.style() == Ticket::Style::Protected)
        return {protectedPrefix(zk, form.kind()), {}};
    return {form.kind() + QByteArray::number(zk.sessionId()) + '-', newUuid(zk) + ' '};
}

// The node that a create whose reply was lost has left, if it was carried out.
async::Task<std::optional<Ticket>> adopt(zk::Coordinator &zk, zk::Path directory, const Mark &mark)
{
    const auto list = [&] { return zk.children(directory); };
    const Answer<zk::Children> children = co_await persistSynced(zk, directory, list);
    for (const QByteArray &name : children->names) {
        if (!name.startsWith(mark.prefix))
            continue;
        const zk::Path path = directory / name;
        const auto look = [&] { return zk.get(path); };
        const Answer<zk::Node> node = co_await persist(zk, look);
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
        QStringLiteral("%1 has given out all its numbers: delete it while nobody uses it").arg(directory.toString()))
{
}

TicketRevoked::TicketRevoked(const zk::Path &path)
    : zk::Error(zk::Code::NoNode,
                QStringLiteral("%1 was deleted by somebody else while it stood in line").arg(path.toString()))
{
}

Ticket::Ticket(zk::Coordinator &zk, zk::Path path, const zk::Stat &stat)
    : m_zk(&zk), m_fence{std::move(path), stat.czxid, stat.ephemeralOwner}
{
}

Ticket::Ticket(Ticket &&other) noexcept
    : m_zk(std::exchange(other.m_zk, nullptr)), m_fence(std::move(other.m_fence)) { }

Ticket &Ticket::operator=(Ticket &&other) noexcept
{
    std::swap(m_zk, other.m_zk);
    std::swap(m_fence, other.m_fence);
    return *this;
}

Ticket::~Ticket()
{
    giveUp();
}

void Ticket::giveUp()
{
    if (m_zk)
        std::exchange(m_zk, nullptr)->discard(m_fence.path, m_fence.czxid);
}

async::Task<Ticket::Taken> Ticket::take(zk::Coordinator &zk, zk::Path directory, Form form, QByteArray data)
{
    if (form.style() == Style::BySession)
        co_await zk.connected(); // there is no session id before
    const Mark mark = markOf(zk, form);
    data.prepend(mark.data);
    UnownedCreate unowned(zk, directory, mark);
    for (;;) {
        std::optional<Ticket> ticket;
        try {
            unowned.setPossible(true);
            const auto creating = zk.create(directory / mark.prefix, data, zk::CreateMode::EphemeralSequential);
            const auto listing = zk.children(directory);
            const Answer<zk::Created> created = co_await creating;
            unowned.setPossible(false);
            if (created.ok()) {
                ticket.emplace(zk, created->path, created->stat);
                if (zk::sequenceOf(ticket->name()) == zk::LastSequence)
                    throw NumbersUsedUp(directory);
                const Answer<zk::Children> line = co_await listing;
                if (!line.ok()) // the directory was deleted in between, and our node with it
                    continue;
                co_return Taken{std::move(*ticket), line->names};
            }
            if (!created.is(Code::NoNode))
                created.require();
            co_await zk.ensurePath(directory);
            continue;
        } catch (const zk::ConnectionLoss &) {
        }
        if (ticket)
            co_return Taken{std::move(*ticket), std::nullopt};
        co_await zk.connected();
        ticket = co_await adopt(zk, directory, mark);
        unowned.setPossible(false);
        if (ticket)
            co_return Taken{std::move(*ticket), std::nullopt};
    }
}

async::Task<Ticket> Ticket::takeBeside(const Ticket &held, QByteArray kind, QByteArray data)
{
    zk::Coordinator &zk = held.coordinator();
    const QByteArray name = protectedPrefix(zk, kind) + zk::sequenceText(zk::sequenceOf(held.name()).value());
    const zk::Path path = held.directory() / name;
    zk::Transaction transaction;
    held.fence().guard(transaction).create(path, data, zk::CreateMode::Ephemeral);
    const auto create = [&] { return zk.commit(transaction); };
    const auto look = [&] { return zk.exists(path); };

    const Mark mark{name, {}};
    UnownedCreate unowned(zk, held.directory(), mark);
    unowned.setPossible(true);
    const Answer<zk::Committed> committed = co_await persist(zk, create);
    if (committed->failedAt() == 0)
        throw TicketRevoked(held.path());
    if (!committed.is(Code::NodeExists)) // then an earlier try was carried out: the name is ours alone
        committed.require();
    const Answer<zk::Stat> stat = co_await persist(zk, look);
    unowned.setPossible(false);
    if (!stat.ok())
        throw TicketRevoked(path);
    co_return Ticket(zk, path, *stat);
}

} // namespace drover::recipes
