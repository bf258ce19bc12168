#include "app/console_bench/bench_window.h"

#include "app/console_bench/wait.h"
#include "zk/client/session.h"

#include <QCoreApplication>

#include <stdexcept>

namespace drover::app {

namespace {

constexpr QSize Size(1400, 900);
constexpr const char *Cluster = "default";

gui::OpenedSession openSession(async::Loop &loop, const gui::Target &target, const gui::GivenCredentials &)
{
    auto session = std::make_unique<zk::Session>(loop, zk::SessionOptions{.servers = target.connect});
    session->open();
    gui::OpenedSession opened;
    opened.zk = std::move(session);
    return opened;
}

} // namespace

BenchWindow::BenchWindow(const QString &connect, gui::HistoryPlace history)
    : m_connect(connect), m_feeds(openSession, std::move(history)), m_window(m_models, m_feeds.session())
{
    gui::connectModels(m_models, m_feeds.session());
    m_window.resize(Size);
    m_window.show();
}

void BenchWindow::connect()
{
    m_window.connectTo({m_connect, Cluster});
    waitFor([this] { return m_models.jobs.snapshot().clusterExists; }, "the connection");
}

void BenchWindow::showPage(const char *name)
{
    if (!m_window.showPage(QLatin1String(name)))
        throw std::logic_error("there is no such page");
    m_window.repaint();
    QCoreApplication::processEvents();
}

} // namespace drover::app
