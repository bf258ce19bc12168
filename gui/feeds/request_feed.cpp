#include "gui/feeds/request_feed.h"

namespace drover::gui {

void RequestFeed::end()
{
    for (const int request : std::exchange(m_underWay, {}))
        Q_EMIT failed(request, tr("The session has ended before the answer came: look whether it was carried out."));
}

void RequestFeed::start(int request, async::Task<void> task)
{
    if (!attached()) {
        Q_EMIT failed(request, tr("Not connected: connect to a cluster first."));
        return;
    }
    m_underWay.insert(request);
    spawn(guard(request, std::move(task)));
}

async::Task<void> RequestFeed::guard(int request, async::Task<void> task)
{
    QString why;
    try {
        co_await task;
    } catch (const zk::SessionLost &) {
        co_return; // end() answers
    } catch (const std::exception &error) {
        why = QString::fromUtf8(error.what());
    }
    m_underWay.erase(request);
    if (!why.isEmpty())
        Q_EMIT failed(request, why);
}

int newRequest()
{
    static int last = 0;
    return ++last;
}

} // namespace drover::gui
