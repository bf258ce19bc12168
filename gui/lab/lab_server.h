#pragma once

#include "async/event.h"
#include "gui/lab/lab_snapshot.h"
#include "zk/client/session.h"
#include "zk/server/local_server.h"

#include <functional>
#include <optional>

namespace drover::gui {

// The private server of the lab, and the session on it that observes. Both end with this object.
class LabServer
{
public:
    // `directory` is for the server's files.
    LabServer(async::Loop &loop, QString directory) : m_loop(loop), m_directory(std::move(directory)) { }

    // Starts both, after stop() once more. If it throws, it can be tried again.
    async::Task<void> start();
    void stop();

    LabSnapshot::Server state() const { return m_state; }
    async::Event &serving() { return m_serving; }
    // The observer's session has expired, as when this machine has slept: stop() and start().
    bool isLost() const { return m_session && m_session->state() == zk::Client::State::Lost; }
    std::optional<qint64> pid() const; // while it runs

    // Once it serves:
    zk::Session &session() { return *m_session; }
    quint16 port() const { return m_server->port(); }
    // Which session watches what, in the words of the server (`wchp`); nothing if it does not answer.
    async::Task<std::optional<QByteArray>> watches();

private:
    async::Loop &m_loop;
    const QString m_directory;
    LabSnapshot::Server m_state = LabSnapshot::Server::Stopped;
    std::unique_ptr<zk::LocalServer> m_server;
    std::unique_ptr<zk::Session> m_session;
    async::Event m_serving;
};

} // namespace drover::gui
