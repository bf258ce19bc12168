#include "gui/feeds/locks/known_tickets.h"

#include "gui/subtree/pacing.h"
#include "zk/node_life.h"

namespace drover::gui {

async::Task<void> KnownTickets::read(zk::Client &zk, zk::Path directory, QByteArray title, QByteArrayList order,
                                     std::size_t flight)
{
    std::erase_if(m_known, [&](const auto &entry) { return !order.contains(entry.first); });
    QByteArrayList fresh = order;
    fresh.removeIf([this](const QByteArray &ticket) { return m_known.contains(ticket); });
    std::vector<zk::Path> paths;
    for (const QByteArray &ticket : std::as_const(fresh))
        paths.push_back(directory / ticket);
    const auto got = [&](std::size_t i, const zk::Answer<zk::Node> &node) {
        const QByteArray ticket = fresh[qsizetype(i)];
        if (node.ok()) // or it has gone meanwhile
            m_known[ticket] = LockRow{.lock = title,
                                      .place = 0,
                                      .ticket = ticket,
                                      .about = node->data,
                                      .session = zk::sessionOf(node->stat),
                                      .since = node->stat.ctime,
                                      .czxid = node->stat.czxid,
                                      .directory = directory.bytes()};
    };
    co_await readEach(zk, paths, got, flight);
    m_order = order;
}

QList<LockRow> KnownTickets::rows() const
{
    QList<LockRow> rows;
    for (const QByteArray &ticket : m_order) {
        if (const auto known = m_known.find(ticket); known != m_known.end())
            rows.append(known->second);
    }
    return rows;
}

} // namespace drover::gui
