#pragma once

#include "core/recipes/game.h"

namespace drover::test {

// One seeded schedule of a game in virtual time, on the in-memory ZooKeeper and with every kind of fault.
class Schedule
{
public:
    Schedule(const GameKind &kind, quint64 seed);
    ~Schedule();

    // Lives through it. Afterwards there is an answer to all below.
    void run();

    const QStringList &violations() const { return m_judge.violations(); }
    const FaultLog &faults() const { return m_faults.log(); }
    // How often something was held, sessions were lost, and the fences refused a write.
    struct Incidents {
        qint64 held = 0;
        qint64 lostSessions = 0;
        qint64 refusedWrites = 0;
    };
    Incidents incidents() const;
    QByteArray trace() const { return m_server.trace(); }

private:
    struct Seat;

    async::Task<void> live(Seat &seat);
    void checkThatAllIsQuiet();
    void checkThatNothingIsLeft();

    const GameKind &m_kind;
    VirtualLoop m_world;
    FaultInjector m_faults;
    FakeZooKeeper m_server{m_world};
    Judge m_judge{m_server.tree()};
    ParticipantLoop m_steadyLoop{m_world};
    std::unique_ptr<FakeSession> m_steady;
    std::unique_ptr<Game> m_game;
    qint64 m_lostSessions = 0;
    std::vector<std::unique_ptr<Seat>> m_seats;
};

} // namespace drover::test
