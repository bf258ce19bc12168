#pragma once

#include "app/bench/figures/figures.h"
#include "async/task_group.h"
#include "zk/client.h"

namespace drover::app {

// The participants of a benchmark, with a task for each. The first failure ends the benchmark for all.
class Participants
{
public:
    explicit Participants(int size) : m_size(size) { }

    int size() const { return m_size; }
    bool isOver() const { return m_over; } // each participant asks this before another round

    void spawn(async::Task<void> task) { m_tasks.spawn(std::move(task)); }

    // Reports that a participant has done its first round.
    void noteWarm();
    // Returns when all participants have done a first round, or one has failed.
    async::Task<void> warm() { co_await m_allWarm.wait(); }

    // Reports the failure of a participant or of its helper. It ends the benchmark, because the others may wait for
    // that participant.
    void fail(const std::exception_ptr &error);
    bool hasFailed() const { return m_failure != nullptr; }

    // Ends the benchmark. Returns when all participants have stopped. Rethrows a participant's failure.
    async::Task<void> end();

    // The traffic of the sessions during a measured time. `elapsed` is how long it really took. `measuring` is called
    // when it begins and when it ends; then the benchmark ends for all, as by end().
    struct Span {
        async::Duration elapsed{};
        zk::Client::Counters sent;

        // Adds "requests" and "wakeups" for each of `count` rounds.
        void addTo(Figures &figures, std::size_t count, QAnyStringView requests, QAnyStringView wakeups) const;
    };
    async::Task<Span> measure(std::vector<zk::Client *> sessions, async::Duration duration,
                              std::function<void(bool)> measuring);

private:
    int m_size;
    int m_warm = 0;
    bool m_over = false;
    std::exception_ptr m_failure;
    async::Event m_allWarm;
    async::TaskGroup m_tasks{[this](const std::exception_ptr &error) { fail(error); }};
};

} // namespace drover::app
