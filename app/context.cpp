#include "app/context.h"

#include "app/failure.h"
#include "app/units.h"
#include "async/or_timeout.h"
#include "zk/session.h"

namespace drover::app {

Context::Context(async::Loop &loop, UnixSignals &unixSignals, Arguments arguments, Settings settings)
    : m_loop(loop), m_signals(unixSignals), m_arguments(std::move(arguments)), m_settings(std::move(settings)),
      m_out(m_settings.format)
{
}

Context::~Context() = default;

std::unique_ptr<zk::Coordinator> Context::newSession(std::chrono::milliseconds timeout) const
{
    if (m_settings.connect.isEmpty())
        throw CommandError(ExitUnreachable,
                           QStringLiteral("no ZooKeeper given and no drover up running: start one with drover up, or "
                                          "name the servers with --connect, DROVER_CONNECT or a configuration file"));
    zk::SessionOptions options;
    options.servers = m_settings.connect;
    options.timeout = timeout;
    auto session = std::make_unique<zk::Session>(m_loop, options);
    try {
        session->open();
    } catch (const zk::InvalidConnectString &error) {
        throw UsageError(QStringLiteral("%1: %2").arg(m_settings.connectSource, QString::fromUtf8(error.what())));
    }
    return session;
}

async::Task<void> Context::awaitConnection(zk::Coordinator &session) const
{
    QString trouble;
    try {
        co_await async::orTimeout(m_loop, session.connected(), m_settings.connectTimeout);
        co_return;
    } catch (const async::Timeout &) {
        trouble = static_cast<zk::Session &>(session).lastTrouble();
    }
    throw CommandError(ExitUnreachable,
                       QStringLiteral("no ZooKeeper answers at %1 (from %2) within %3%4; check the address, or start "
                                      "one with drover up")
                           .arg(m_settings.connect, m_settings.connectSource, formatDuration(m_settings.connectTimeout),
                                trouble.isEmpty() ? QString() : QStringLiteral(": ") + trouble));
}

async::Task<zk::Coordinator *> Context::connect(std::chrono::milliseconds sessionTimeout)
{
    m_session = newSession(sessionTimeout);
    co_await awaitConnection(*m_session);
    co_return m_session.get();
}

async::Task<zk::Coordinator *> Context::openCluster()
{
    zk::Coordinator *const zk = co_await connect();
    m_clusterConfig = co_await jobs::openCluster(*zk, layout());
    co_return zk;
}

async::Task<void> Context::inEverySession(recipes::SessionBody body)
{
    const auto present = [this] {
        if (m_session->state() == zk::Coordinator::State::Lost)
            m_session = newSession(DefaultSessionTimeout);
        return m_session;
    };
    const auto tell = [](const zk::SessionLost &error, std::chrono::milliseconds) {
        Output::message(QStringLiteral("%1; going on with a new one").arg(QString::fromUtf8(error.what())));
    };
    co_await recipes::forEachSession(m_loop, present, body, tell);
}

namespace {

async::Task<void> settleAndClose(zk::Session &session)
{
    co_await session.obligationsMet();
    co_await session.close();
}

} // namespace

async::Task<void> Context::close(zk::Coordinator &session)
{
    if (session.state() == zk::Coordinator::State::Lost)
        co_return;
    try {
        co_await async::orTimeout(session.loop(), settleAndClose(static_cast<zk::Session &>(session)),
                                  std::chrono::seconds(2));
    } catch (const async::Timeout &) {
    }
}

async::Task<void> Context::close()
{
    if (m_session)
        co_await close(*m_session);
}

} // namespace drover::app
