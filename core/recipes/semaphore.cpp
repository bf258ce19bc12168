#include "recipes/semaphore.h"

#include "async/task_group.h"
#include "recipes/line.h"

#include <QtEndian>

#include <algorithm>

namespace drover::recipes {

using zk::Answer;

namespace {

int permitsIn(const zk::Path &path, const QByteArray &data)
{
    if (data.size() != sizeof(qint32))
        throw zk::Error(zk::Code::BadArguments,
                        QStringLiteral("%1 holds no number of permits: four bytes, the most significant first")
                            .arg(path.toString()));
    return qFromBigEndian<qint32>(data.constData());
}

std::vector<Lease> leasesOf(std::vector<Ticket> tickets)
{
    std::vector<Lease> leases;
    for (Ticket &ticket : tickets)
        leases.emplace_back(std::move(ticket));
    return leases;
}

} // namespace

Semaphore::Semaphore(zk::Coordinator &zk, zk::Path path, Permits permits)
    : m_zk(zk), m_locks(path / "locks"), m_leases(path / "leases"), m_permits(std::move(permits))
{
}

void Semaphore::requirePossible(int n) const
{
    const int *fixed = std::get_if<int>(&m_permits);
    if (n < 1 || (fixed && n > *fixed))
        throw std::invalid_argument("cannot acquire " + std::to_string(n) + " permits at once: ask for 1 to "
                                    + (fixed ? std::to_string(*fixed) : std::string("as many as there are")));
}

async::Task<std::vector<Lease>> Semaphore::acquire(int n, QByteArray about)
{
    requirePossible(n);
    const Ticket admission = co_await takeTurn(m_zk, m_locks, "lock-", about);
    Asked asked;
    co_await create(n, about, asked);
    for (;;) {
        Watches watches;
        const bool room = co_await fit(asked, watches);
        if (room)
            co_return leasesOf(std::move(asked.tickets));
        const async::Future<zk::WatchEvent> leasesChanged = watches.leases.fired();
        if (std::holds_alternative<zk::Path>(m_permits)) {
            const async::Future<zk::WatchEvent> permitsChanged = watches.permits.fired();
            co_await async::eitherReady(leasesChanged, permitsChanged);
        } else {
            co_await leasesChanged;
        }
    }
}

async::Task<std::optional<std::vector<Lease>>> Semaphore::tryAcquire(int n, QByteArray about)
{
    requirePossible(n);
    const std::optional<Ticket> admission = co_await tryTurn(m_zk, m_locks, "lock-", about);
    if (!admission)
        co_return std::nullopt;
    Asked asked;
    co_await create(n, about, asked);
    Watches watches;
    const bool room = co_await fit(asked, watches);
    if (!room)
        co_return std::nullopt;
    co_return leasesOf(std::move(asked.tickets));
}

async::Task<void> Semaphore::createOne(QByteArray about, Asked &asked)
{
    Ticket::Taken taken = co_await Ticket::take(m_zk, m_leases, "lease-", about);
    asked.tickets.push_back(std::move(taken.ticket));
    asked.seen = std::move(taken.line);
}

// All in one round trip.
async::Task<void> Semaphore::create(int n, QByteArray about, Asked &asked)
{
    std::exception_ptr error;
    async::TaskGroup creating([&error](const std::exception_ptr &e) { error = e; });
    for (int i = 0; i < n; ++i)
        creating.spawn(createOne(about, asked));
    co_await creating.drained();
    if (error)
        std::rethrow_exception(error);
}

bool Semaphore::Asked::allIn(const QByteArrayList &names) const
{
    return std::all_of(tickets.begin(), tickets.end(),
                       [&](const Ticket &ticket) { return names.contains(ticket.name()); });
}

// Whether the leases that were asked for are within the permits; if not, the watches are armed.
async::Task<bool> Semaphore::fit(Asked &asked, Watches &watches)
{
    const std::optional<QByteArrayList> seen = std::exchange(asked.seen, std::nullopt);
    const int *fixed = std::get_if<int>(&m_permits);
    if (fixed && seen && asked.allIn(*seen) && seen->size() <= *fixed)
        co_return true;
    for (;;) {
        try {
            const bool enough = co_await count(asked, watches);
            co_return enough;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await m_zk.connected();
    }
}

async::Task<bool> Semaphore::count(const Asked &asked, Watches &watches)
{
    std::optional<zk::Reply<zk::Node>> reading;
    if (const zk::Path *shared = std::get_if<zk::Path>(&m_permits))
        reading = m_zk.get(*shared, watches.permits);
    const auto listing = m_zk.children(m_leases, watches.leases);
    int permits = reading ? 0 : std::get<int>(m_permits);
    if (reading) {
        const Answer<zk::Node> node = co_await *reading;
        permits = permitsIn(std::get<zk::Path>(m_permits), node.value().data);
    }
    const Answer<zk::Children> children = co_await listing;
    if (!asked.allIn(children->names))
        throw TicketRevoked(asked.tickets.front().path());
    co_return children->names.size() <= permits;
}

} // namespace drover::recipes
