#pragma once

#include "async/task_group.h"
#include "workers/claims/claimer.h"
#include "workers/dispatch/served_queues.h"

#include <deque>
#include <functional>
#include <optional>

namespace drover::workers {

// The jobs of a worker's queues that no worker may run, until they have been ended. A client can create them by the
// thousand, and so can one that puts back what others have signed. Each has some 40 bytes here, whatever its size.
//
//     unsigned ones    MostEndedTogether in a transaction, one transaction at a time. Refusals says which are recorded.
//                      While there are fewer, ten transactions a second: those of others wait for the server's disk
//     signed ones      each has a record, so one such transaction a second
//     beyond Most      they are looked at again a second later
//
// These bounds are of the worker, however many queues it serves: a transaction ends the oldest ones of any queues.
//
// Belongs to the session's thread.
class RefusedJobs
{
public:
    using Queue = ServedQueues::Queue;

    // They are ended within the time for which the finder hides them (WorkFinder::AsideFor), also if all are signed.
    static constexpr std::size_t Most = 32'768;

    // Both outlive this object. `ended` is called whenever some were ended.
    RefusedJobs(async::Loop &loop, Claimer &claimer, std::function<void()> ended)
        : m_loop(loop), m_claimer(claimer), m_ended(std::move(ended))
    {
    }

    // Hides them from the queue's finder, and has them ended. The queue outlives this object.
    void add(Queue &queue, const std::vector<RefusedJob> &jobs);

private:
    struct Waiting {
        Queue *queue;
        RefusedJob job;
    };

    std::deque<Waiting> *next();
    async::Task<void> endAll();
    async::Task<void> endSome(std::deque<Waiting> &waiting);

    async::Loop &m_loop;
    Claimer &m_claimer;
    std::function<void()> m_ended;
    std::deque<Waiting> m_signed;
    std::deque<Waiting> m_unsigned;
    std::optional<async::TimePoint> m_signedAt; // when signed ones were ended last
    std::optional<async::TimePoint> m_unsignedAt; // the others
    bool m_isEnding = false; // endAll() runs
    async::TaskGroup m_ending; // last: destroyed first
};

} // namespace drover::workers
