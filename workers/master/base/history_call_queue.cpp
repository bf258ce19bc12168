#include "workers/master/base/history_call_queue.h"

namespace drover::workers {

using history::HistoryError;

void HistoryCallQueue::begin(std::chrono::seconds patience, std::function<void()> giveUp)
{
    m_calling = true;
    m_begun = m_loop.now();
    m_limit = m_loop.after(patience, std::move(giveUp));
}

void HistoryCallQueue::end()
{
    m_limit.cancel();
    m_calling = false;
    m_changed.notify();
}

HistoryError HistoryCallQueue::noAnswer(std::chrono::seconds patience) const
{
    return HistoryError(QStringLiteral("the history %1 has not answered for %2 s")
                            .arg(m_history.location().display(), QString::number(patience.count())));
}

} // namespace drover::workers
