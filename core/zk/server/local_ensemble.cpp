#include "zk/server/local_ensemble.h"

#include "async/or_timeout.h"
#include "async/task_group.h"
#include "zk/server/four_letter_word.h"
#include "zk/server/free_port.h"

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
    const QList<quint16> ports = freePorts(3 * m_size); // client, quorum and election port of each
    const QStringList common{
        QStringLiteral("initLimit=20"), // ticks
        QStringLiteral("syncLimit=5"),
        QStringLiteral("standaloneEnabled=false"),
        QStringLiteral("reconfigEnabled=false"),
    };
    for (int i = 0; i < m_size; ++i) {
        LocalServerOptions options = m_common;
        options.extraConfig = common + members(i, ports) + m_common.extraConfig;
        options.id = i + 1;
        options.directory = QStringLiteral("%1/%2").arg(m_common.directory).arg(options.id);
        options.clientPort = ports[qsizetype(3) * i];
        m_servers.push_back(std::make_unique<LocalServer>(m_loop, options));
    }
}

QStringList LocalEnsemble::members(int seenFrom, const QList<quint16> &ports) const
{
    QStringList lines;
    for (int i = 0; i < m_size; ++i) {
        const quint16 port = ports[3 * i + 1];
        const quint16 quorum = m_route && i != seenFrom ? m_route(seenFrom, i, port) : port;
        lines.append(QStringLiteral("server.%1=127.0.0.1:%2:%3").arg(i + 1).arg(quorum).arg(ports[3 * i + 2]));
    }
    return lines;
}

async::Task<void> LocalEnsemble::startAll()
{
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
