#pragma once

#include "core/recipes/workload.h"

namespace drover::test {

// One seeded schedule of a workload in virtual time, on the in-memory ZooKeeper and with every kind of fault.
class Schedule
{
public:
    Schedule(const WorkloadKind &kind, quint64 seed);
    ~Schedule();

    // Lives through it. Afterwards there is an answer to all below.
    void run();

    const QStringList &violations() const { return m_checker.violations(); }
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
    struct RunningProcess;

    async::Task<void> live(RunningProcess &running); // in one session after the other
    async::Task<void> runIn(zk::Client &zk, RunningProcess &running);
    void checkThatAllIsQuiet();
    void checkThatNothingIsLeft();

    const WorkloadKind &m_kind;
    VirtualLoop m_world;
    FaultInjector m_faults;
    FakeZooKeeper m_server{m_world};
    InvariantChecker m_checker{m_server};
    ProcessLoop m_steadyLoop{m_world};
    std::unique_ptr<FakeSession> m_steady;
    std::unique_ptr<Workload> m_workload;
    qint64 m_lostSessions = 0;
    std::vector<std::unique_ptr<RunningProcess>> m_processes;
};

} // namespace drover::test
