#pragma once

#include "async/qt_loop.h"
#include "gui/feeds/console_session.h"

#include <QThread>

namespace drover::gui {

// The thread that the console's session lives on: a window that is busy painting never costs a session, and a slow
// ZooKeeper never costs a frame. Made and destroyed on the GUI thread; the session is reached by queued signals and
// slots only.
class FeedThread
{
public:
    explicit FeedThread(SessionSource source);
    FeedThread(const FeedThread &) = delete;
    FeedThread &operator=(const FeedThread &) = delete;
    ~FeedThread();

    ConsoleSession &session() { return *m_session; }

private:
    QObject m_there; // in the thread: calls are invoked on it
    QThread m_thread;
    std::unique_ptr<async::QtLoop> m_loop;
    std::unique_ptr<ConsoleSession> m_session;
};

} // namespace drover::gui
