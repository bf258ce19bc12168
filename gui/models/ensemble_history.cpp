#include "gui/models/ensemble_history.h"

#include "text/printable.h"

#include <set>

namespace drover::gui {

namespace {

// "zk1", or ":2181" of servers that share a host, or else "zk1:2181".
QStringList shortNames(const std::vector<zk::ServerAddress> &servers)
{
    std::set<QString> hosts;
    std::set<quint16> ports;
    for (const zk::ServerAddress &server : servers) {
        hosts.insert(server.host);
        ports.insert(server.port);
    }
    QStringList names;
    for (const zk::ServerAddress &server : servers) {
        if (hosts.size() == servers.size())
            names << text::printable(server.host);
        else if (hosts.size() == 1 && ports.size() == servers.size())
            names << u':' + QString::number(server.port);
        else
            names << text::printable(server.toString());
    }
    return names;
}

} // namespace

void EnsembleHistory::show(const EnsembleSnapshot &ensemble)
{
    std::vector<zk::ServerAddress> servers;
    for (const zk::ServerReport &server : ensemble.servers)
        servers.push_back(server.address);
    if (servers != m_servers) {
        m_servers = servers;
        m_names = shortNames(servers);
        m_rings.assign(servers.size(), {});
    }
    for (std::size_t i = 0; i < servers.size(); ++i) {
        const zk::ServerReport &server = ensemble.servers[i];
        m_rings[i][AnswerTime].append(server.answeredIn ? server.answeredIn->count() : -1);
        m_rings[i][Outstanding].append(server.number("srvr", "Outstanding").value_or(-1));
        m_rings[i][Connections].append(server.number("srvr", "Connections").value_or(-1));
    }
    Q_EMIT sampled();
}

} // namespace drover::gui
