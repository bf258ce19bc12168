#include "core/recipes/schedule.h"

#include "async/task_group.h"
#include "support/run_task.h"

#include <algorithm>
#include <array>

namespace drover::test {

using namespace std::chrono_literals;

// One participant's place. Members are destroyed from the last: the life ends before the session it uses.
struct Schedule::Seat {
    explicit Seat(VirtualLoop &world, const GameKind &kind, int number, quint64 seed, Judge &judge, zk::Client &steady)
        : player(world, number, kind.rounds, seed, judge, steady), life([&judge](const std::exception_ptr &error) {
              judge.require(false, QStringLiteral("a participant failed: ") + async::describe(error));
          })
    {
    }

    Player player;
    std::unique_ptr<FakeSession> session;
    async::TaskGroup life;
};

namespace {

double faultsOf(quint64 seed)
{
    constexpr std::array<double, 3> PerOperation = {0.02, 0.05, 0.1};
    return PerOperation[seed % PerOperation.size()];
}

} // namespace

Schedule::Schedule(const GameKind &kind, quint64 seed)
    : m_kind(kind), m_world(seed), m_faults(FaultPlan::everything(seed, faultsOf(seed))),
      m_steady(m_server.connect(m_steadyLoop, {.sessionTimeout = 1h, .latency = 1ms})), m_game(kind.make())
{
    m_server.onCommit([this](const FakeZooKeeper::Commit &) {
        m_judge.committed();
        m_game->committed(m_server.tree());
    });
    SeededRandom lot(~seed);
    for (int number = 0; number < kind.players; ++number)
        m_seats.push_back(std::make_unique<Seat>(m_world, kind, number, lot.next(), m_judge, *m_steady));
}

Schedule::~Schedule() = default;

async::Task<void> Schedule::live(Seat &seat)
{
    Player &player = seat.player;
    for (;;) {
        seat.session = m_server.connect(player.loop, {.latency = 2ms, .faults = &m_faults});
        player.zk = seat.session.get();
        try {
            co_await m_game->play(player);
            co_return;
        } catch (const zk::SessionLost &) {
            ++m_lostSessions;
        }
        co_await async::sleepFor(player.loop, 100ms);
    }
}

void Schedule::run()
{
    for (const char *name : {"a", "b", "c"})
        runTask(m_world, m_steady->ensurePath(Judge::resource(name)));
    for (const auto &seat : m_seats)
        seat->life.spawn(live(*seat));
    const auto allDone = [this] {
        return std::all_of(m_seats.begin(), m_seats.end(), [](const auto &seat) { return seat->life.empty(); });
    };
    m_world.runUntil(allDone, 2min);
    m_faults.heal();
    m_judge.require(m_world.runUntil(allDone, 5min), QStringLiteral("a player waits for ever"));
    for (const auto &seat : m_seats)
        seat->life.cancelAll();
    checkThatAllIsQuiet();
    runTask(m_world, m_game->finish(*m_steady, m_judge));
    checkThatNothingIsLeft();
}

// The sessions live and have nothing to do any more.
void Schedule::checkThatAllIsQuiet()
{
    m_world.runFor(30s); // every process runs again, and the pending cleanups are done
    for (const auto &seat : m_seats)
        m_judge.require(seat->session->pendingCleanups() == 0, QStringLiteral("a session still owes something"));
    const std::vector<ServerWatches::Armed> watches = m_server.watches();
    if (!watches.empty())
        m_judge.require(false, QStringLiteral("a watch is left on ") + watches.front().path.toString());
}

void Schedule::checkThatNothingIsLeft()
{
    m_world.runFor(3min); // containers go
    QByteArrayList left;
    for (const QByteArray &line : m_server.dump().split('\n')) {
        const QByteArray path = line.left(line.indexOf(' '));
        if (path.startsWith("/game/") && !m_kind.furniture.contains(path))
            left.push_back(path);
    }
    m_judge.require(left.isEmpty(), QStringLiteral("left behind: ") + QString::fromUtf8(left.join(' ')));
}

Schedule::Incidents Schedule::incidents() const
{
    Incidents all;
    all.lostSessions = m_lostSessions;
    for (const auto &seat : m_seats) {
        all.held += seat->player.held;
        all.refusedWrites += seat->player.refused;
    }
    return all;
}

} // namespace drover::test
