#pragma once

#include "async/loop_thread.h"
#include "gui/feeds/console_session.h"

namespace drover::gui {

// The thread of the console's session. A busy window cannot cost the session, and a slow ZooKeeper cannot delay a
// frame. Make and destroy it on the GUI thread. Reach the session by queued signals and slots only.
class FeedThread
{
public:
    explicit FeedThread(SessionSource source, HistoryPlace history = {})
    {
        m_thread.call([&] {
            m_session = std::make_unique<ConsoleSession>(m_thread.loop(), std::move(source), std::move(history));
        });
    }
    ~FeedThread()
    {
        m_thread.call([this] { m_session.reset(); });
    }

    ConsoleSession &session() { return *m_session; }

private:
    async::LoopThread m_thread{QStringLiteral("session")};
    std::unique_ptr<ConsoleSession> m_session;
};

} // namespace drover::gui
