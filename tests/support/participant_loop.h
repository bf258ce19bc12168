#pragma once

#include "support/virtual_loop.h"

#include <QObject>

namespace drover::test {

// The loop of one simulated process, a view on the VirtualLoop that all share. While frozen (SIGSTOP, a long garbage
// collection, a suspended laptop) nothing of it runs; what fell due meanwhile runs after thaw(), in order. Destroying
// it is the end of the process: callbacks still owed are dropped.
class ParticipantLoop final : public QObject, public async::Loop
{
    Q_OBJECT

public:
    explicit ParticipantLoop(VirtualLoop &world);
    ~ParticipantLoop() override;

    VirtualLoop &world() const { return m_world; }

    async::TimePoint now() const override { return m_world.now(); }
    async::Timer after(async::Duration delay, std::function<void()> callback) override;
    void post(std::function<void()> callback) override;
    void offload(std::function<void()> work, std::function<void()> done) override;
    void at(async::TimePoint time, std::function<void()> callback);

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
};

} // namespace drover::test
