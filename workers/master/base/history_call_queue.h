#pragma once

#include "async/future.h"
#include "async/task_group.h"
#include "history/history.h"

#include <functional>
#include <memory>
#include <optional>

namespace drover::workers {

// The master's calls to its history, one at a time and each with a time limit; further calls wait in the queue. The
// history would answer them one after the other anyway, and each unanswered call would occupy a thread of
// Loop::offload.
//
// A call that has begun runs to its end even when its caller stops waiting, and the next call begins only then. So this
// outlives the terms of a master.
class HistoryCallQueue
{
public:
    // `history` outlives it. Outlives its tasks.
    HistoryCallQueue(async::Loop &loop, const history::History &history) : m_loop(loop), m_history(history) { }

    // The answer to `task`, a call of the history. Throws what the task throws, and HistoryError when there is no
    // answer within `patience` of its turn. It also throws HistoryError when the call that has the turn has had no
    // answer for that long.
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
        co_return co_await answer;
    }

    // Throws HistoryError if the call that has the turn has had no answer for `patience`.
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
    bool m_calling = false; // a call has no answer yet
    async::TimePoint m_begun{}; // of that call
    async::Timer m_limit; // of that call
    async::Event m_changed; // notified when the call ends or a waiter times out
    async::TaskGroup m_calls; // last: its tasks use the rest
};

} // namespace drover::workers
