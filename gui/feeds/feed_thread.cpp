#include "gui/feeds/feed_thread.h"

namespace drover::gui {

FeedThread::FeedThread(SessionSource source, HistoryPlace history)
{
    m_there.moveToThread(&m_thread);
    m_thread.setObjectName(QStringLiteral("session"));
    m_thread.start();
    const auto make = [&] {
        m_loop = std::make_unique<async::QtLoop>();
        m_session = std::make_unique<ConsoleSession>(*m_loop, std::move(source), std::move(history));
    };
    QMetaObject::invokeMethod(&m_there, make, Qt::BlockingQueuedConnection);
}

FeedThread::~FeedThread()
{
    const auto unmake = [&] {
        m_session.reset();
        m_loop.reset();
    };
    QMetaObject::invokeMethod(&m_there, unmake, Qt::BlockingQueuedConnection);
    m_thread.quit();
    m_thread.wait();
}

} // namespace drover::gui
