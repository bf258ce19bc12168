#include "zk/server/local_ensemble.h"

#include "async/or_timeout.h"
#include "async/task_group.h"
#include "zk/server/four_letter_word.h"
#include "zk/server/free_port.h"
#include "zk/server/server_settings.h"

#include <QDir>
#include <QFile>

#include <algorithm>

namespace drover::zk {

using namespace std::chrono_literals;

LocalEnsemble::LocalEnsemble(async::Loop &loop, LocalServerOptions common, int size, Route route)
    : m_loop(loop), m_common(std::move(common)), m_size(size), m_route(std::move(route))
{
}

async::Task<void> LocalEnsemble::start()
{
    const bool first = m_servers.empty();
    if (first)
        build();
    std::exception_ptr error;
    try {
        co_await startAll();
    } catch (const LocalServerError &) {
        error = std::current_exception();
    }
    if (error && first) { // one of many ports may have been taken: others, once
        m_servers.clear();
        build();
        co_await startAll();
    } else if (error) {
        std::rethrow_exception(error);
    }
}

async::Task<void> LocalEnsemble::stop()
{
    async::TaskGroup stopping;
    for (const auto &server : m_servers)
        stopping.spawn(server->stop());
    co_await stopping.drained();
}

async::Task<int> LocalEnsemble::elected(int members)
{
    const async::TimePoint deadline = m_loop.now() + m_common.startLimit;
    while (m_loop.now() < deadline) {
        int leader = -1;
        int leaders = 0;
        int followers = 0;
        for (int i = 0; i < m_size; ++i) {
            const QByteArray mode = co_await modeOf(server(i));
            if (mode == "leader") {
                leader = i;
                ++leaders;
            }
            followers += mode == "follower";
        }
        if (leaders == 1 && followers == members - 1)
            co_return leader;
        co_await async::sleepFor(m_loop, 20ms);
    }
    throw LocalServerError(QStringLiteral("the ensemble in %1 did not settle on a leader with %2 servers in time")
                               .arg(m_common.directory)
                               .arg(members)
                               .toStdString());
}

QString LocalEnsemble::connectString() const
{
    QStringList addresses;
    for (const auto &server : m_servers)
        addresses.append(server->connectString());
    return addresses.join(u',');
}

void LocalEnsemble::build()
{
    QList<quint16> clients = lastPorts();
    QList<quint16> others = freePorts(4 * m_size); // three for each server, and some that are in use already
    others.removeIf([&](quint16 port) { return clients.contains(port); });
    for (quint16 &port : clients)
        port = port != 0 ? port : others.takeLast();
    QStringList common{
        QStringLiteral("initLimit=20"), // ticks
        QStringLiteral("syncLimit=5"),           QStringLiteral("standaloneEnabled=false"),
        QStringLiteral("reconfigEnabled=false"), setting("db.autocreate").line(),
    };
    for (const QString &line : m_common.extraConfig) // a key is there once
        common.removeIf([&](const QString &each) { return each.section(u'=', 0, 0) == line.section(u'=', 0, 0); });
    for (int i = 0; i < m_size; ++i) {
        LocalServerOptions options = m_common;
        options.extraConfig = common + members(i, others) + m_common.extraConfig;
        options.id = i + 1;
        options.directory = directoryOf(i);
        options.clientPort = clients[i];
        m_servers.push_back(std::make_unique<LocalServer>(m_loop, options));
    }
}

QString LocalEnsemble::directoryOf(int index) const
{
    return QStringLiteral("%1/%2").arg(m_common.directory).arg(index + 1);
}

// The client port of each server: the given one, or that of its last start; 0 if it needs another.
QList<quint16> LocalEnsemble::lastPorts() const
{
    QList<quint16> ports;
    for (int i = 0; i < m_size; ++i) {
        const quint16 last = LocalServer::lastPort(directoryOf(i));
        if (m_common.clientPort != 0)
            ports.append(static_cast<quint16>(m_common.clientPort + i));
        else
            ports.append(!ports.contains(last) && isFreePort(last) ? last : quint16(0));
    }
    return ports;
}

// Servers remove this file when they begin without data; one that has neither waits for a leader's. It may have been
// killed before its first snapshot, which is of an empty tree: the tree is empty until there is a log.
void LocalEnsemble::letBeginEmpty() const
{
    const auto hasData = [](const auto &server) {
        const QDir data(server->dataDirectory() + QStringLiteral("/version-2"));
        QStringList files = data.entryList({QStringLiteral("snapshot.*"), QStringLiteral("log.*")}, QDir::Files);
        files.removeAll(QStringLiteral("snapshot.0"));
        return !files.isEmpty();
    };
    if (std::any_of(m_servers.begin(), m_servers.end(), hasData))
        return;
    for (const auto &server : m_servers) {
        QFile mark(server->dataDirectory() + QStringLiteral("/initialize"));
        if (!QDir().mkpath(server->dataDirectory()) || !mark.open(QIODevice::WriteOnly))
            throw LocalServerError(
                QStringLiteral("cannot write %1: %2").arg(mark.fileName(), mark.errorString()).toStdString());
    }
}

QStringList LocalEnsemble::members(int seenFrom, const QList<quint16> &ports) const
{
    QStringList lines;
    for (int i = 0; i < m_size; ++i) {
        const auto portOf = [&](Link link) {
            const quint16 port = ports[2 * i + (link == Link::Election ? 1 : 0)];
            return m_route && i != seenFrom ? m_route(link, seenFrom, i, port) : port;
        };
        lines.append(QStringLiteral("server.%1=127.0.0.1:%2:%3")
                         .arg(i + 1)
                         .arg(portOf(Link::Quorum))
                         .arg(portOf(Link::Election)));
    }
    return lines;
}

async::Task<void> LocalEnsemble::startAll()
{
    letBeginEmpty();
    std::exception_ptr error;
    async::TaskGroup starting([&](const std::exception_ptr &e) { error = e; });
    for (const auto &server : m_servers)
        starting.spawn(server->start());
    co_await starting.drained();
    if (error)
        std::rethrow_exception(error);
    co_await elected(m_size);
}

// "leader", "follower", or empty from a server that is down, paused or not serving.
async::Task<QByteArray> LocalEnsemble::modeOf(const LocalServer &server)
{
    if (!server.running())
        co_return QByteArray();
    try {
        const QByteArray answer = co_await async::orTimeout(
            m_loop, fourLetterWord(QStringLiteral("127.0.0.1"), server.port(), QByteArrayLiteral("srvr")), 1s);
        co_return fieldOf(answer, "Mode");
    } catch (const NoAnswer &) {
        co_return QByteArray();
    } catch (const async::Timeout &) {
        co_return QByteArray();
    }
}

} // namespace drover::zk
