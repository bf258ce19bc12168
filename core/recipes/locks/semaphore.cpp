#include "recipes/locks/semaphore.h"

#include "async/first_of.h"
#include "async/task_group.h"
#include "recipes/blocks/line.h"
#include "recipes/blocks/persistent.h"
#include "recipes/values/counter.h"

#include <algorithm>

namespace drover::recipes {

using zk::Answer;

namespace {

int permitsIn(const zk::Path &path, const QByteArray &data)
{
    const std::optional<qint32> permits = SharedCount::decode(data);
    if (!permits)
        throw zk::Error(zk::Code::BadArguments,
                        QStringLiteral("%1 holds no number of permits: four bytes, the most significant first")
                            .arg(path.toString()));
    return *permits;
}

std::vector<Lease> leasesOf(std::vector<Ticket> tickets)
{
    std::vector<Lease> leases;
    for (Ticket &ticket : tickets)
        leases.emplace_back(std::move(ticket));
    return leases;
}

} // namespace

Semaphore::Semaphore(zk::Client &zk, zk::Path path, Permits permits)
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
        const Answer<zk::Node> own = co_await Persistent(m_zk).get(admission.path(), watches.ticket);
        if (!own.ok())
            throw TicketRevoked(admission.path());
        co_await change(watches);
    }
}

async::Task<std::optional<std::vector<Lease>>> Semaphore::tryAcquire(int n, QByteArray about)
{
    requirePossible(n);
    const Ticket::Taken admission = co_await Ticket::take(m_zk, m_locks, "lock-", about);
    const bool admitted = co_await admittedIfRoom(admission.ticket, admission.line, n);
    if (!admitted)
        co_return std::nullopt;
    Asked asked;
    co_await create(n, about, asked);
    Watches watches;
    const bool room = co_await fit(asked, watches);
    if (!room)
        co_return std::nullopt;
    co_return leasesOf(std::move(asked.tickets));
}

// True when it is the ticket's turn and there is room; false as soon as there is none.
async::Task<bool> Semaphore::admittedIfRoom(const Ticket &ticket, std::optional<QByteArrayList> line, int n)
{
    for (;;) {
        if (!line) {
            const Answer<zk::Children> children = co_await Persistent(m_zk).children(m_locks);
            line = children->names;
        }
        const QByteArrayList ahead = aheadOf(ticket, *std::exchange(line, std::nullopt));
        try {
            Watches watches;
            const Room room = co_await look(watches);
            if (room.leases.size() + n > room.permits)
                co_return false;
            if (ahead.isEmpty())
                co_return true;
            if (!watches.leases.armed() && !watches.leases.hasFired()) { // there is no directory yet
                co_await m_zk.ensurePath(m_leases);
                continue;
            }
            const Answer<zk::Node> nearest = co_await m_zk.get(m_locks / ahead.back(), watches.ticket);
            if (nearest.ok())
                co_await change(watches);
        } catch (const zk::ConnectionLoss &) {
        }
        co_await m_zk.connected();
    }
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
            const Room room = co_await look(watches);
            if (!asked.allIn(room.leases))
                throw TicketRevoked(asked.tickets.front().path());
            co_return room.leases.size() <= room.permits;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await m_zk.connected();
    }
}

// ConnectionLoss is thrown.
async::Task<Semaphore::Room> Semaphore::look(Watches &watches)
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
    Room room;
    room.leases = children->names;
    room.permits = permits;
    co_return room;
}

// Returns when one of the armed watches has fired.
async::Task<void> Semaphore::change(const Watches &watches)
{
    std::vector<async::Task<void>> changes;
    for (const zk::Watch *watch : {&watches.leases, &watches.permits, &watches.ticket}) {
        if (watch->armed() || watch->hasFired())
            changes.push_back(async::asTask(watch->fired()));
    }
    co_await async::firstOf(m_zk.loop(), std::move(changes));
}

} // namespace drover::recipes
