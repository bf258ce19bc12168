#pragma once

#include "workers/master/base/history_call_queue.h"

namespace drover::workers {

// Reads from the history how jobs ended whose final records are no longer in ZooKeeper.
class HistoryReader
{
public:
    static constexpr std::chrono::seconds Patience{10};

    // `history` and its `calls` outlive it. Outlives its tasks.
    HistoryReader(async::Loop &loop, history::History &history, HistoryCallQueue &calls)
        : m_loop(loop), m_history(history), m_calls(calls)
    {
    }

    // Calls History::query(); returns an empty page if the history does not exist yet. Also throws HistoryError if
    // there is no answer within Patience of the call's turn, and at once while an earlier call is overdue.
    async::Task<history::Page> query(history::Query query);

    struct Trouble {
        QString error; // one line
        std::chrono::milliseconds since{}; // Unix epoch
    };
    // The present trouble; nothing once the history has answered, or when there are no more calls.
    std::optional<Trouble> trouble() const;

private:
    void noteFailure(const QString &why);

    async::Loop &m_loop;
    history::History &m_history;
    HistoryCallQueue &m_calls;
    std::optional<Trouble> m_trouble;
    async::TimePoint m_latestFailure{};
};

} // namespace drover::workers
