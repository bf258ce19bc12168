#pragma once

#include "async/future.h"
#include "async/task_group.h"
#include "history/history.h"

#include <functional>
#include <memory>
#include <optional>

namespace drover::workers {

// One call of the master to its history at a time, each with a time limit; the others stand in line. The history would
// answer them one after the other anyway, and each that it has not answered keeps one of the few threads of
// Loop::offload, which the files and the names of the whole program need as well.
//
// A call goes on to its end once it has begun, whoever stops waiting for it, and nothing else is asked until then. So
// this outlives the terms of a master.
class HistoryLine
{
public:
    // `history` outlives it. Outlives its tasks.
    HistoryLine(async::Loop &loop, const history::History &history) : m_loop(loop), m_history(history) { }

    // What `task`, a call of the history, answers. Throws what it throws; HistoryError when it has no answer within
    // `patience` of its turn, and, in line, once the call that has the turn has had none for as long.
    template <typename T>
    async::Task<T> call(async::Task<T> task, std::chrono::seconds patience)
    {
        while (m_calling) {
            requireAnswers(patience);
            const async::Timer limit = m_loop.after(m_begun + patience - m_loop.now(), [this] { m_changed.notify(); });
            co_await m_changed.wait();
        }
        const auto promise = std::make_shared<async::Promise<T>>();
        const async::Future<T> answer = promise->future();
        begin(patience, [this, promise, patience] { promise->fail(std::make_exception_ptr(noAnswer(patience))); });
        m_calls.spawn(finish(std::move(task), promise));
        T value = co_await answer;
        co_return value;
    }

    // Throws HistoryError if the call that has the turn has had no answer for so long.
    void requireAnswers(std::chrono::seconds patience) const
    {
        if (m_calling && m_loop.now() >= m_begun + patience)
            throw noAnswer(patience);
    }

private:
    template <typename T>
    async::Task<void> finish(async::Task<T> task, std::shared_ptr<async::Promise<T>> promise)
    {
        std::optional<T> value;
        std::exception_ptr error;
        try {
            value = co_await task;
        } catch (...) {
            error = std::current_exception();
        }
        end();
        if (error)
            promise->fail(error);
        else
            promise->set(std::move(*value));
    }

    void begin(std::chrono::seconds patience, std::function<void()> giveUp);
    void end();
    history::HistoryError noAnswer(std::chrono::seconds patience) const;

    async::Loop &m_loop;
    const history::History &m_history;
    bool m_calling = false; // the history has not answered yet
    async::TimePoint m_begun{}; // that call
    async::Timer m_limit; // of its patience
    async::Event m_changed; // notified: it may be somebody else's turn, or his patience at its end
    async::TaskGroup m_calls; // last: its tasks use the rest
};

} // namespace drover::workers
