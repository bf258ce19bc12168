#include "recipes/ticket.h"

#include "recipes/persist.h"

#include <QUuid>

namespace drover::recipes {

using zk::Answer;
using zk::Code;

namespace {

// While alive, a node with this prefix may exist that nobody owns.
class UnownedCreate
{
public:
    UnownedCreate(zk::Coordinator &zk, zk::Path directory, QByteArray prefix)
        : m_zk(&zk), m_directory(std::move(directory)), m_prefix(std::move(prefix))
    {
    }
    UnownedCreate(const UnownedCreate &) = delete;
    UnownedCreate &operator=(const UnownedCreate &) = delete;
    ~UnownedCreate()
    {
        if (m_possible && m_zk)
            m_zk->discardMatching(m_directory, m_prefix);
    }

    void setPossible(bool possible) { m_possible = possible; }

private:
    QPointer<zk::Coordinator> m_zk;
    zk::Path m_directory;
    QByteArray m_prefix;
    bool m_possible = false;
};

// The node that a create whose reply was lost has left, if it was carried out.
async::Task<std::optional<Ticket>> adopt(zk::Coordinator &zk, zk::Path directory, QByteArray prefix)
{
    const auto sync = [&] { return zk.sync(directory); };
    const auto list = [&] { return zk.children(directory); };
    const Answer<zk::Nothing> synced = co_await persist(zk, sync);
    const Answer<zk::Children> children = co_await persist(zk, list);
    for (const QByteArray &name : children->names) {
        if (!name.startsWith(prefix))
            continue;
        const zk::Path path = directory / name;
        const auto look = [&] { return zk.exists(path); };
        const Answer<zk::Stat> stat = co_await persist(zk, look);
        if (stat.ok() && stat->ephemeralOwner == zk.sessionId())
            co_return Ticket(zk, path, *stat);
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
        std::exchange(m_zk, nullptr)->discard(m_fence.path);
}

async::Task<Ticket::Taken> Ticket::take(zk::Coordinator &zk, zk::Path directory, QByteArray kind, QByteArray data)
{
    const QByteArray prefix = "_c_" + QUuid::createUuid().toByteArray(QUuid::WithoutBraces) + '-' + kind;
    UnownedCreate unowned(zk, directory, prefix);
    for (;;) {
        std::optional<Ticket> ticket;
        try {
            unowned.setPossible(true);
            const auto creating = zk.create(directory / prefix, data, zk::CreateMode::EphemeralSequential);
            const auto listing = zk.children(directory);
            const Answer<zk::Created> created = co_await creating;
            unowned.setPossible(false);
            if (created.ok()) {
                ticket.emplace(zk, created->path, created->stat);
                if (zk::sequenceOf(ticket->name()) == zk::LastSequence)
                    throw NumbersUsedUp(directory);
                const Answer<zk::Children> line = co_await listing;
                line.require();
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
        ticket = co_await adopt(zk, directory, prefix);
        unowned.setPossible(false);
        if (ticket)
            co_return Taken{std::move(*ticket), std::nullopt};
    }
}

} // namespace drover::recipes
