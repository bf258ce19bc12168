#pragma once

#include "async/task_group.h"
#include "zk/coordinator.h"

namespace drover::app {

// The participants of a benchmark, a task each. The first that fails ends it for all.
class Participants
{
public:
    explicit Participants(int size) : m_size(size) { }

    int size() const { return m_size; }
    bool isOver() const { return m_over; } // each participant asks this before another round

    void spawn(async::Task<void> task) { m_tasks.spawn(std::move(task)); }

    // A participant has done its first round.
    void noteWarm();
    // Returns when all have, or one has failed.
    async::Task<void> warm();

    // What one of them threw, or who works for them: ends it, since what the others wait for may never come now.
    void fail(const std::exception_ptr &error);
    bool hasFailed() const { return m_failure != nullptr; }

    // Ends it; returns when nobody is under way any more. Throws what a participant threw.
    async::Task<void> end();

    // What has gone through the sessions in so much time, which took `elapsed`. `measuring` is told that it begins, and
    // that it is over; then it is over for all, as by end().
    struct Span {
        async::Duration elapsed{};
        zk::Coordinator::Counters sent;
    };
    async::Task<Span> measure(std::vector<zk::Coordinator *> sessions, async::Duration duration,
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
