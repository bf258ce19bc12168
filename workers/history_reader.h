#pragma once

#include "workers/history_line.h"

namespace drover::workers {

// What the master asks the history: how jobs have ended whose final records are no longer in ZooKeeper.
class HistoryReader
{
public:
    static constexpr std::chrono::seconds Patience{10};
    static constexpr std::chrono::seconds RetryPause{5}; // of those who ask, after a failure

    // `history` and its `line` outlive it. Outlives its tasks.
    HistoryReader(async::Loop &loop, history::History &history, HistoryLine &line)
        : m_loop(loop), m_history(history), m_line(line)
    {
    }

    // Of History; nothing where nobody has begun one. Also throws HistoryError when there is no answer within Patience
    // of the call's turn, and at once while an earlier call has had none in time.
    async::Task<history::Page> query(history::Query query);

    struct Trouble {
        QString error; // one line
        std::chrono::milliseconds since{}; // Unix epoch
    };
    // As long as it lasts: nothing once it has answered, or nobody asks any more.
    std::optional<Trouble> trouble() const;

private:
    void noteFailure(const QString &why);

    async::Loop &m_loop;
    history::History &m_history;
    HistoryLine &m_line;
    std::optional<Trouble> m_trouble;
    async::TimePoint m_latestFailure{};
};

} // namespace drover::workers
