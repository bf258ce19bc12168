#pragma once

#include "core/recipes/invariant_checker.h"
#include "support/fake/fake_session.h"

#include <QMetaType>

namespace drover::test {

// A simulated process, which lives through several sessions until it has run its rounds.
struct Process {
    Process(VirtualLoop &world, int itsNumber, int itsRounds, quint64 seed, InvariantChecker &itsChecker,
            zk::Client &itsSteady)
        : number(itsNumber), rounds(itsRounds), loop(world), random(seed), checker(itsChecker), steady(itsSteady)
    {
    }

    const int number;
    int rounds; // still to run
    ProcessLoop loop;
    SeededRandom random;
    InvariantChecker &checker;
    zk::Client &steady; // without faults: for late writes from elsewhere
    zk::Client *zk = nullptr; // the session of this life
    qint64 held = 0; // grants
    qint64 refused = 0; // writes, by a fence

    async::Duration some(async::Duration longest)
    {
        return std::chrono::duration_cast<async::Duration>(longest * random.unit());
    }
    async::SleepAwaiter rest(async::Duration longest) { return async::sleepFor(loop, some(longest)); }
    QByteArray name() const { return QByteArray::number(number); }

    // Holds `resource` for a while, and writes to it under the fence. The process sometimes stands still in between,
    // and sometimes holds it for longer than its session lives unheard.
    async::Task<void> writeUnder(recipes::Fence fence, QByteArray resource);

private:
    async::Task<void> holdForLong(zk::Path path);
};

// What the processes of a schedule do with one recipe. Each calls run() in one session after the other, as
// forEachSession() does, until it returns. run() throws SessionLost when the session ends, and counts down
// process.rounds.
class Workload
{
public:
    virtual ~Workload() = default;

    virtual async::Task<void> run(Process &process) = 0;

    // After each write that the server has accepted.
    virtual void committed(const FakeTree &tree) { Q_UNUSED(tree) }

    // Looks at what is left when all processes have ended, nothing fails any more and the sessions are idle. Reports
    // violations to the checker.
    virtual async::Task<void> finish(zk::Client &zk, InvariantChecker &checker)
    {
        Q_UNUSED(zk)
        Q_UNUSED(checker)
        co_return;
    }
};

template <typename T>
std::unique_ptr<Workload> makeWorkload()
{
    return std::make_unique<T>();
}

// A workload and how it is run.
struct WorkloadKind {
    const char *name;
    std::function<std::unique_ptr<Workload>()> make;
    int processes = 3;
    int rounds = 3; // of each process
    // What may be left below /workload when all have gone.
    QByteArrayList furniture = {};
    bool fenced = false; // it writes late, under a fence
    FakeSessionOptions session = {}; // of each process, but for its faults
    double isolations = 0; // at least so many of the requests cut their server off
};

std::vector<WorkloadKind> lockWorkloads();
std::vector<WorkloadKind> semaphoreWorkloads();
std::vector<WorkloadKind> electionWorkloads();
std::vector<WorkloadKind> meetingWorkloads();
std::vector<WorkloadKind> valueWorkloads();
std::vector<WorkloadKind> queueWorkloads();
// All of these.
std::vector<WorkloadKind> allWorkloads();
// Broken ones, in which the checker has to find a fault.
WorkloadKind unfencedLock();
WorkloadKind earlyRelease();
WorkloadKind lockWithoutWaiting();
WorkloadKind counterWithoutReceipts();

} // namespace drover::test

Q_DECLARE_METATYPE(drover::test::WorkloadKind)
