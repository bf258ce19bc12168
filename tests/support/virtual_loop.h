#pragma once

#include "async/loop.h"
#include "support/seeded_random.h"

#include <QtGlobal>

#include <deque>
#include <memory>
#include <vector>

namespace drover::test {

// A loop in which time is a number: callbacks run in the order (time due, order of the calls), and time moves only when
// nothing is due. A program and a seed always give the same run. One thread, post() included. It outlives all that uses
// it; callbacks still owed when it goes are dropped.
class VirtualLoop final : public async::Loop
{
public:
    explicit VirtualLoop(quint64 seed = 0) : m_random(seed) { }
    ~VirtualLoop() override;

    async::TimePoint now() const override { return m_now; }
    async::Timer after(async::Duration delay, std::function<void()> callback) override;
    void post(std::function<void()> callback) override;
    // Does the work at once, posts `done`.
    void offload(std::function<void()> work, std::function<void()> done) override;

    QUuid makeUuid() override;

    // 2026-01-01T00:00:00Z at first, moved on by time and by setWallClock().
    std::chrono::milliseconds wallClock() const override;
    void setWallClock(std::chrono::milliseconds sinceEpoch);

    // Like after(), but it cannot be cancelled.
    void at(async::TimePoint time, std::function<void()> callback);

    // Carries out the next callback, moving time if need be; false if none is owed, or none until `deadline`.
    bool step(async::TimePoint deadline = async::TimePoint::max());

    // Each throws std::runtime_error on a livelock: a million callbacks without time moving.
    bool runUntil(const std::function<bool()> &predicate, async::Duration limit = std::chrono::hours(1));
    void runFor(async::Duration duration);
    // False if callbacks are still owed after `limit`, as with a periodic timer.
    bool runUntilIdle(async::Duration limit = std::chrono::hours(1));

    quint64 steps() const { return m_steps; }

private:
    // Shared by the queue and the Timer; empty once fired or cancelled.
    struct Cell {
        std::function<void()> callback;
    };
    class Entry;
    struct Due {
        async::TimePoint time;
        quint64 order;
        std::shared_ptr<Cell> cell;

        bool operator<(const Due &other) const // for a heap whose front is the earliest
        {
            return time != other.time ? time > other.time : order > other.order;
        }
    };
    struct Posted {
        quint64 order;
        std::function<void()> callback;
    };

    void schedule(async::TimePoint time, std::shared_ptr<Cell> cell);
    void dropCancelled();
    Due takeTimer();
    void call(const std::function<void()> &callback);

    SeededRandom m_random; // for the names
    async::TimePoint m_now{std::chrono::hours(1)};
    std::chrono::milliseconds m_wallClockAhead{1767225600'000LL - 3600'000LL}; // of m_now
    quint64 m_order = 0;
    quint64 m_steps = 0;
    int m_stepsSinceTimeMoved = 0;
    std::deque<Posted> m_posts; // all due now: time does not move past them
    std::vector<Due> m_timers;
};

} // namespace drover::test
