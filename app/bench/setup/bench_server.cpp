#include "app/bench/setup/bench_server.h"

#include "app/cli/failure.h"
#include "app/environment/private_server.h"
#include "async/or_timeout.h"
#include "text/quantity.h"
#include "zk/client/connect_string.h"
#include "zk/error.h"

#include <QCoreApplication>

#include <utility>

namespace drover::app {

using namespace std::chrono_literals;

QByteArray scratchName()
{
    return "bench-" + QByteArray::number(QCoreApplication::applicationPid());
}

BenchServer::BenchServer(async::Loop &loop, GivenServers given) : m_loop(loop), m_given(std::move(given))
{
    if (m_given.connect.isEmpty())
        m_private.emplace(m_loop, privateServer(m_directory.path()));
}

async::Task<void> BenchServer::start()
{
    if (m_private)
        co_await m_private->start();
}

async::Task<void> BenchServer::stop()
{
    m_relay.reset();
    if (m_private)
        co_await m_private->stop();
}

void BenchServer::injectRoundTrip(std::chrono::nanoseconds roundTrip)
{
    m_relay.reset();
    if (roundTrip == 0ns)
        return;
    const zk::ServerList servers = zk::parseConnectString(connectString());
    if (servers.size() != 1 || (servers[0].host != u"127.0.0.1" && servers[0].host != u"localhost"))
        throw UsageError(
            QStringLiteral("--rtt delays one server on this machine: give --connect 127.0.0.1:PORT or --rtt 0"));
    m_relay = std::make_unique<app::DelayRelay>(servers[0].port, roundTrip);
}

QString BenchServer::address() const
{
    if (!m_relay)
        return connectString();
    const zk::Path chroot = zk::chrootOf(connectString());
    return QStringLiteral("127.0.0.1:%1").arg(m_relay->port()) + (chroot.isRoot() ? QString() : chroot.toString());
}

async::Task<std::unique_ptr<zk::Session>> BenchServer::open()
{
    auto session = std::make_unique<zk::Session>(m_loop, zk::SessionOptions{.servers = address(), .access = m_access});
    session->open();
    try {
        co_await async::orTimeout(m_loop, session->connected(), m_given.connectTimeout);
        co_await requireRoom(*session);
        co_return session;
    } catch (const async::Timeout &) {
    }
    throw CommandError(ExitUnreachable,
                       QStringLiteral("no ZooKeeper answers at %1 within %2: %3")
                           .arg(connectString(), text::formatDuration(m_given.connectTimeout), session->lastTrouble()));
}

// Of servers that it is given, at the first session.
async::Task<void> BenchServer::requireRoom(zk::Session &session)
{
    if (m_private || std::exchange(m_hasRoom, true))
        co_return;
    try {
        co_await session.ensurePath(zk::Path("/drover") / scratchName());
    } catch (const zk::AccessDenied &) {
        throw CommandError(
            ExitDenied,
            QStringLiteral("the servers at %1 are of a closed cluster, and a benchmark makes nodes of its "
                           "own beside it; leave out --connect for a private server, or have an "
                           "administrator share them: drover cluster secure --shared")
                .arg(connectString()));
    }
}

} // namespace drover::app
