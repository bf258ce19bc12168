#pragma once

#include "async/qt_loop.h"
#include "gui/feeds/console_session.h"

#include <QThread>

namespace drover::gui {

// The thread of the console's session. A busy window cannot cost the session, and a slow ZooKeeper cannot delay a
// frame. Make and destroy it on the GUI thread. Reach the session by queued signals and slots only.
class FeedThread
{
public:
    explicit FeedThread(SessionSource source, HistoryPlace history = {});
    FeedThread(const FeedThread &) = delete;
    FeedThread &operator=(const FeedThread &) = delete;
    ~FeedThread();

    ConsoleSession &session() { return *m_session; }

private:
    QObject m_there; // lives in the thread; calls are invoked on it
    QThread m_thread;
    std::unique_ptr<async::QtLoop> m_loop;
    std::unique_ptr<ConsoleSession> m_session;
};

} // namespace drover::gui
