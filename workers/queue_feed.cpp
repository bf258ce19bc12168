#include "workers/queue_feed.h"

#include "recipes/line.h"

namespace drover::workers {

using zk::Answer;

QueueFeed::QueueFeed(zk::Coordinator &zk, jobs::Layout layout, QByteArray queue, QByteArray worker)
    : m_zk(zk), m_layout(std::move(layout)), m_queue(std::move(queue)), m_worker(std::move(worker))
{
}

void QueueFeed::setMembers(QByteArrayList members)
{
    m_members = std::move(members);
    m_backlog = {};
    if (m_poke)
        m_poke->set({});
}

void QueueFeed::exclude(const std::vector<jobs::QueueEntry> &entries)
{
    for (const jobs::QueueEntry &entry : entries)
        m_excluded.insert(entry.idIn(m_queue).inQueue());
}

void QueueFeed::leaveLine()
{
    m_place.reset();
    m_first = false;
}

async::Task<void> QueueFeed::search()
{
    for (;;) {
        try {
            if (!m_first) {
                co_await list(nullptr);
                if (!dry())
                    co_return;
                co_await standInLine();
            }
            zk::Watch watch;
            co_await list(&watch);
            if (!dry())
                co_return;
            co_await awaitChange(watch);
            continue;
        } catch (const zk::ConnectionLoss &) {
        } catch (const recipes::TicketRevoked &) {
            leaveLine();
        }
        co_await m_zk.connected();
    }
}

// Returns when first. A search that was cancelled on the way has kept the place.
async::Task<void> QueueFeed::standInLine()
{
    std::optional<QByteArrayList> line;
    if (!m_place) {
        recipes::Ticket::Taken place = co_await recipes::Ticket::take(m_zk, m_layout.idle(m_queue), "w-", m_worker);
        m_place = std::move(place.ticket);
        line = std::move(place.line);
    }
    co_await recipes::awaitTurn(*m_place, std::move(line));
    m_first = true;
}

async::Task<void> QueueFeed::list(zk::Watch *watch)
{
    const zk::Path queue = m_layout.queue(m_queue);
    const auto listingQueue = watch ? m_zk.children(queue, *watch) : m_zk.children(queue);
    const auto listingClaims = m_zk.children(m_layout.claims());
    const Answer<zk::Children> names = co_await listingQueue;
    const Answer<zk::Children> claims = co_await listingClaims;
    names.require();
    QSet<qint64> taken = m_excluded;
    for (const QByteArray &name : claims->names) {
        const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromUtf8(name));
        if (id && id->queue == m_queue)
            taken.insert(id->inQueue());
    }
    m_listedAt = m_zk.loop().now();
    m_backlog = Backlog(m_queue, names->names, taken, m_worker, m_members);
}

async::Task<void> QueueFeed::awaitChange(zk::Watch &watch)
{
    m_poke.emplace();
    const async::Timer backstop = m_zk.loop().after(MaxAge, [this] { m_poke->set({}); });
    const async::Future<std::monostate> poked = m_poke->future();
    const async::Future<zk::WatchEvent> fired = watch.fired();
    co_await async::eitherReady(fired, poked);
    if (fired.ready())
        co_await fired; // throws SessionLost
    m_poke.reset();
}

} // namespace drover::workers
