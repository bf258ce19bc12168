#include "gui/lab/lab_server.h"

#include "async/or_timeout.h"
#include "zk/server/four_letter_word.h"

namespace drover::gui {

using namespace std::chrono_literals;
using State = LabSnapshot::Server;

namespace {

constexpr auto AnswerLimit = 5s;

zk::LocalServerOptions serverOptions(const QString &directory)
{
    zk::LocalServerOptions options;
    options.directory = directory;
    options.tickTime = 500ms; // sessions may be short
    options.fsync = false;
    options.namesSessions = true; // the lab shows who watches what
    options.maxSessionTimeout = 60s;
    options.heapMegabytes = 128;
    return options;
}

} // namespace

async::Task<void> LabServer::start()
{
    m_state = State::Starting;
    try {
        m_server = std::make_unique<zk::LocalServer>(m_loop, serverOptions(m_directory));
        co_await m_server->start();
    } catch (...) {
        m_state = State::Stopped;
        throw;
    }
    zk::SessionOptions options;
    options.servers = m_server->connectString();
    m_session = std::make_unique<zk::Session>(m_loop, options);
    m_session->open();
    co_await m_session->connected();
    m_state = State::Serving;
    m_serving.set();
}

void LabServer::stop()
{
    m_session.reset();
    m_server.reset();
    m_serving.reset();
    m_state = State::Stopped;
}

std::optional<qint64> LabServer::pid() const
{
    return m_server && m_server->running() ? std::optional(m_server->pid()) : std::nullopt;
}

async::Task<std::optional<QByteArray>> LabServer::watches()
{
    try {
        const QByteArray answer = co_await async::orTimeout(
            m_loop, zk::fourLetterWord(QStringLiteral("127.0.0.1"), m_server->port(), "wchp"), AnswerLimit);
        co_return answer;
    } catch (const zk::NoAnswer &) {
    } catch (const async::Timeout &) {
    }
    co_return std::nullopt;
}

} // namespace drover::gui
