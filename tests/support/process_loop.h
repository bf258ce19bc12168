#pragma once

#include "support/virtual_loop.h"

#include <QObject>

namespace drover::test {

// The loop of one simulated process, a view on the VirtualLoop that all share. While frozen (SIGSTOP, a long garbage
// collection, a suspended laptop) nothing of it runs; what fell due meanwhile runs after thaw(), in order. Destroying
// it is the end of the process: callbacks still owed are dropped.
class ProcessLoop final : public QObject, public async::Loop
{
    Q_OBJECT

public:
    explicit ProcessLoop(VirtualLoop &world);
    ~ProcessLoop() override;

    VirtualLoop &world() const { return m_world; }

    async::TimePoint now() const override { return m_world.now(); }
    async::Timer after(async::Duration delay, std::function<void()> callback) override;
    void post(std::function<void()> callback) override;
    void offload(std::function<void()> work, std::function<void()> done) override;
    QUuid makeUuid() override { return m_world.makeUuid(); }
    std::chrono::milliseconds wallClock() const override { return m_world.wallClock() + m_clockAhead; }
    // Of the other processes' and the servers' clock.
    void setClockAhead(std::chrono::milliseconds ahead) { m_clockAhead = ahead; }
    void at(async::TimePoint time, std::function<void()> callback);

    // Who does the offloaded work, and when: a call of what it is given does the work and posts that it is done. A
    // thread that sits in a system call notices neither a frozen loop nor a lost session. Without a pool: at once.
    using Pool = std::function<void(std::function<void()> work)>;
    void setPool(Pool pool) { m_pool = std::move(pool); }

    bool frozen() const;
    void freeze();
    void thaw();
    void freezeFor(async::Duration duration);

Q_SIGNALS:
    void froze();
    void thawed();

private:
    struct Gate;
    class Entry;

    VirtualLoop &m_world;
    std::shared_ptr<Gate> m_gate; // outlives this in callbacks that the world still holds
    async::Timer m_wakeUp;
    std::chrono::milliseconds m_clockAhead{};
    Pool m_pool;
};

} // namespace drover::test
