#pragma once

#include "app/bench/setup/bench_server.h"
#include "async/loop_thread.h"
#include "async/task_group.h"

#include <functional>

namespace drover::app {

// The server and the load of a measurement, on a thread of their own: they delay no frame of the window. Make, use and
// destroy it on the GUI thread.
class LoadThread
{
public:
    // A task of the load, which uses the load's session on the load's thread.
    using Work = std::function<async::Task<void>(zk::Client &)>;

    // Starts the server, and makes the cluster "default" there, which is open. Throws zk::NotInstalled,
    // zk::LocalServerError.
    LoadThread();
    LoadThread(const LoadThread &) = delete;
    LoadThread &operator=(const LoadThread &) = delete;
    ~LoadThread();

    const QString &connectString() const { return m_connect; }
    QString directory() const { return m_directory.path(); } // temporary

    // Returns when it is done; the window goes on meanwhile. Throws what the work throws.
    void run(Work work)
    {
        await([this, &work] { return work(*m_session); });
    }
    // Until finish() or the destructor.
    void begin(Work work);
    // Cancels what begin() has begun.
    void finish()
    {
        m_thread.call([this] { m_background.reset(); });
    }

private:
    // Returns when the task that `make` returns has ended. The task is made on the thread of the load.
    void await(const std::function<async::Task<void>()> &make);

    QTemporaryDir m_directory;
    QString m_connect;
    async::LoopThread m_thread{QStringLiteral("load")};
    std::unique_ptr<BenchServer> m_server;
    std::unique_ptr<zk::Session> m_session;
    std::unique_ptr<async::TaskGroup> m_background;
};

} // namespace drover::app
