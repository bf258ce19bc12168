#include "core/recipes/schedule.h"

#include "async/task_group.h"
#include "recipes/blocks/each_session.h"
#include "support/run_task.h"

#include <QScopeGuard>

#include <algorithm>
#include <array>

namespace drover::test {

using namespace std::chrono_literals;

// A process and its life. Members are destroyed from the last: the life ends before the session it uses.
struct Schedule::RunningProcess {
    explicit RunningProcess(VirtualLoop &world, const WorkloadKind &kind, int number, quint64 seed,
                            InvariantChecker &checker, zk::Client &steady)
        : process(world, number, kind.rounds, seed, checker, steady), life([&checker](const std::exception_ptr &error) {
              checker.require(false, QStringLiteral("a process failed: ") + async::describe(error));
          })
    {
    }

    Process process;
    std::shared_ptr<FakeSession> session; // of this life, until the next one
    int bodies = 0; // that run in a session
    async::TaskGroup life;
};

namespace {

FaultPlan faultsOf(const WorkloadKind &kind, quint64 seed)
{
    constexpr std::array<double, 3> PerOperation = {0.02, 0.05, 0.1};
    FaultPlan plan = FaultPlan::everything(seed, PerOperation[seed % PerOperation.size()]);
    plan.isolate = std::max(plan.isolate, kind.isolations);
    return plan;
}

} // namespace

Schedule::Schedule(const WorkloadKind &kind, quint64 seed)
    : m_kind(kind), m_world(seed), m_faults(faultsOf(kind, seed)),
      m_steady(m_server.connect(m_steadyLoop, {.sessionTimeout = 1h, .latency = 1ms})), m_workload(kind.make())
{
    m_server.onCommit([this](const FakeZooKeeper::Commit &commit) {
        m_checker.committed(commit);
        m_workload->committed(m_server.tree());
    });
    SeededRandom lot(~seed);
    for (int number = 0; number < kind.processes; ++number)
        m_processes.push_back(
            std::make_unique<RunningProcess>(m_world, kind, number, lot.next(), m_checker, *m_steady));
}

Schedule::~Schedule() = default;

async::Task<void> Schedule::live(RunningProcess &running)
{
    const auto connect = [this, &running]() -> std::shared_ptr<zk::Client> {
        m_checker.require(running.bodies == 0, QStringLiteral("a session is made while a body runs in the last one"));
        running.session.reset();
        FakeSessionOptions options = m_kind.session;
        options.latency = 2ms;
        options.faults = &m_faults;
        running.session = m_server.connect(running.process.loop, options);
        return running.session;
    };
    const auto body = [this, &running](zk::Client &zk) { return runIn(zk, running); };
    const auto onLoss = [this, &running](const zk::SessionLost &, std::chrono::milliseconds) {
        m_checker.require(running.session->state() == zk::Client::State::Lost,
                          QStringLiteral("a session is given up that has not ended"));
        ++m_lostSessions;
    };
    const recipes::SessionPauses pauses{100ms, 1s};
    co_await recipes::forEachSession(running.process.loop, connect, body, onLoss, pauses);
}

async::Task<void> Schedule::runIn(zk::Client &zk, RunningProcess &running)
{
    m_checker.require(&zk == running.session.get() && zk.state() != zk::Client::State::Lost,
                      QStringLiteral("a body gets a session that is not the new one"));
    running.process.zk = &zk;
    ++running.bodies;
    const auto left = qScopeGuard([&running] { --running.bodies; });
    co_await m_workload->run(running.process);
}

void Schedule::run()
{
    for (const char *name : {"a", "b", "c"})
        runTask(m_world, m_steady->ensurePath(InvariantChecker::resource(name)));
    for (const auto &running : m_processes)
        running->life.spawn(live(*running));
    const auto allDone = [this] {
        return std::all_of(m_processes.begin(), m_processes.end(),
                           [](const auto &running) { return running->life.empty(); });
    };
    m_world.runUntil(allDone, 2min);
    m_faults.heal();
    const bool done = m_world.runUntil(allDone, 5min);
    m_checker.require(done, QStringLiteral("a process waits for ever"));
    for (const auto &running : m_processes)
        m_checker.require(!done || running->process.rounds == 0, QStringLiteral("a process ended before its rounds"));
    for (const auto &running : m_processes)
        running->life.cancelAll();
    checkThatAllIsQuiet();
    runTask(m_world, m_workload->finish(*m_steady, m_checker));
    checkThatNothingIsLeft();
}

// The sessions live and have nothing to do any more.
void Schedule::checkThatAllIsQuiet()
{
    m_world.runFor(30s); // every process runs again, and the pending cleanups are done
    for (const auto &running : m_processes)
        m_checker.require(running->session->pendingCleanups() == 0, QStringLiteral("a session still owes something"));
    const std::vector<ServerWatches::Armed> watches = m_server.watches();
    if (!watches.empty())
        m_checker.require(false, QStringLiteral("a watch is left on ") + watches.front().path.toString());
}

void Schedule::checkThatNothingIsLeft()
{
    m_world.runFor(3min); // containers go
    QByteArrayList left;
    for (const QByteArray &line : m_server.dump().split('\n')) {
        const QByteArray path = line.left(line.indexOf(' '));
        if (path.startsWith("/workload/") && !m_kind.furniture.contains(path))
            left.push_back(path);
    }
    m_checker.require(left.isEmpty(), QStringLiteral("left behind: ") + QString::fromUtf8(left.join(' ')));
}

Schedule::Incidents Schedule::incidents() const
{
    Incidents all;
    all.lostSessions = m_lostSessions;
    for (const auto &running : m_processes) {
        all.held += running->process.held;
        all.refusedWrites += running->process.refused;
    }
    return all;
}

} // namespace drover::test
