#include "workers/sim/sim_cluster.h"

#include "jobs/client/cancel_job.h"
#include "recipes/locks/mutex.h"
#include "support/strip_fences.h"
#include "workers/sim/sim_operator.h"
#include "workers/sim/sim_process.h"

namespace drover::test {

using namespace std::chrono_literals;
using zk::Answer;
using zk::Transaction;

SimCluster::SimCluster(Options options)
    : m_options(options), m_random(options.seed),
      m_queues(options.variations.has(variations::SecondQueue) ? QByteArrayList{"default", "other"}
                                                               : QByteArrayList{"default"}),
      m_faults([&] {
          FaultPlan plan = FaultPlan::everything(options.seed, options.faults);
          if (options.variations.has(variations::Expanding))
              plan.loseReply = 0.1;
          return plan;
      }()),
      m_storage(options.variations.has(variations::Appends) ? std::make_unique<SimStorage>(options.seed) : nullptr)
{
}

SimCluster::~SimCluster() = default;

async::Duration SimCluster::some(async::Duration longest)
{
    return std::chrono::duration_cast<async::Duration>(longest * m_random.unit());
}

std::unique_ptr<SimCluster::Process> SimCluster::makeProcess()
{
    const auto onError = [this](const std::exception_ptr &error) { m_failure = async::describe(error); };
    return std::make_unique<Process>(m_world, onError);
}

// Each life of a session is a life of the worker, as in the program.
async::Task<void> SimCluster::liveAsWorker(Process &self, int index)
{
    workers::WorkerOptions options;
    options.id = QStringLiteral("w%1").arg(index);
    options.queues = m_queues;
    options.slotCount = SlotsPerWorker;
    options.spool = m_storage ? m_storage->spool() : QStringLiteral("/spool");
    if (m_storage)
        options.spoolLimits.reserve = 0; // the memory's room is not the schedule's
    if (index == 0)
        options.labels.append(QStringLiteral("rare"));
    for (;;) {
        self.session = m_server.connect(self.loop, sessionOptions());
        self.runner->noteSession();
        const bool mayWork = co_await workOnce(self, options);
        if (!mayWork) {
            self.session.reset();
            m_world.at(m_world.now(), [this, index] { killWorker(index); });
        }
        co_await async::sleepFor(self.loop, 100ms);
    }
}

// False if it lacks a right: then the program ends, and is started again.
async::Task<bool> SimCluster::workOnce(Process &self, workers::WorkerOptions options)
{
    workers::Worker worker(jobs::Cluster(*self.session, m_layout), std::move(options), *self.runner);
    self.worker = &worker;
    worker.giveBackFirst(std::exchange(self.unanswered, {}));
    bool isShutOut = false;
    try {
        co_await worker.run();
    } catch (const zk::SessionLost &) {
        self.unanswered = worker.unanswered();
    } catch (const zk::AccessDenied &) {
        isShutOut = true;
    }
    m_counts[variations::HandedOn] += static_cast<qint64>(self.unanswered.size());
    self.worker = nullptr;
    m_counts[variations::RejectedReports] += worker.rejectedReports();
    m_counts[variations::KeptReported] += worker.keptReported();
    co_return !isShutOut;
}

void SimCluster::startWorker(int index)
{
    auto &slot = m_workers[static_cast<std::size_t>(index)];
    slot = makeProcess();
    setClockOf(slot->loop);
    if (m_storage)
        slot->loop.setPool([this](const std::function<void()> &work) { m_storage->doWork(work); });
    SimDisk &disk = m_disks[static_cast<std::size_t>(index)];
    disk.restart();
    const async::Duration longest =
        has(variations::Outages) || has(variations::LongJobs) ? 12s : 2s; // beyond the leases, or not
    slot->runner = std::make_unique<SimRunner>(slot->loop, "w" + QByteArray::number(index), m_random.next(), longest,
                                               m_witness, disk);
    if (has(variations::Waiting))
        slot->runner->setFailures(0.3);
    if (has(variations::ShortJobs))
        slot->runner->setShort(0.9);
    if (has(variations::Sick))
        slot->runner->setSick(0.3, 0.2);
    slot->life.spawn(liveAsWorker(*slot, index));
}

SimCluster::Process *SimCluster::someWorker()
{
    return m_workers[static_cast<std::size_t>(m_random.below(m_options.workers))].get();
}

void SimCluster::noteEviction(zk::SessionId session)
{
    for (const auto &worker : m_workers) {
        if (worker && worker->session && worker->session->sessionId() == session)
            worker->runner->noteEviction();
    }
}

void SimCluster::killSomeWorker()
{
    killWorker(m_random.below(m_options.workers));
}

void SimCluster::killWorker(int index)
{
    auto &victim = m_workers[static_cast<std::size_t>(index)];
    if (!victim)
        return;
    if (victim->session)
        victim->session->crash();
    victim->life.cancelAll();
    victim->runner->killAll(); // it notices at once
    victim.reset();
    m_world.at(m_world.now() + some(10s), [this, index] { startWorker(index); });
}

void SimCluster::stopSomeWorker()
{
    Process *self = someWorker();
    if (!self || !self->worker || self->loop.frozen())
        return;
    ++m_counts[variations::StoppedWorkers];
    if (m_random.chance(0.5))
        self->worker->abandonJobs();
    else
        self->worker->stop();
}

void SimCluster::killSomeRunner()
{
    Process *self = someWorker();
    if (!self || !self->worker)
        return;
    m_counts[variations::DeadRunners] += self->worker->running() > 0;
    self->runner->die();
}

void SimCluster::setSomeClock()
{
    if (Process *self = someWorker())
        setClockOf(self->loop);
}

async::Task<void> SimCluster::liveAsClient(Process &self)
{
    int next = 0;
    while (next < m_options.jobs) {
        self.session = m_server.connect(self.loop, sessionOptions());
        try {
            co_await submitJobs(*self.session, next);
        } catch (const zk::SessionLost &) {
            ++next; // the client lets that job be
        } catch (const jobs::SubmittedOrNot &) {
            ++next;
        } catch (const zk::AccessDenied &) {
            ++next;
        }
    }
    --m_busy;
}

async::Task<void> SimCluster::submitJobs(zk::Client &zk, int &next)
{
    co_await zk.connected();
    co_await jobs::ensureCluster(jobs::Cluster(zk, m_layout), m_queues);
    jobs::Submitter submitter(jobs::Cluster(zk, m_layout), {});
    for (; next < m_options.jobs; ++next) {
        const bool atOnce = (has(variations::Rush) || has(variations::ShortJobs)) && next < m_options.jobs * 2 / 3;
        const async::Duration pause = atOnce ? 0ms : some(2s);
        co_await async::sleepFor(zk.loop(), pause);
        const std::optional<jobs::JobId> id = co_await submit(submitter, spec(next));
        if (!id || !m_random.chance(0.2))
            continue;
        try {
            co_await async::sleepFor(zk.loop(), some(1s));
            co_await jobs::cancel(jobs::Cluster(zk, m_layout), *id);
        } catch (const jobs::WrongState &) {
            // It had ended.
        } catch (const jobs::NotFound &) {
            // It was deleted by hand.
        }
    }
}

async::Task<void> SimCluster::liveAsOperator(Process &self)
{
    SimOperator person(m_random, m_layout, m_queues, m_ids, [this](const jobs::JobId &id) {
        m_invariants.acknowledged(id);
        m_ids.push_back(id);
    });
    int rounds = has(variations::Moves) ? 40 : 20;
    person.setMostlyMoves(has(variations::Moves));
    for (bool released = false; !released;) {
        self.session = m_server.connect(self.loop, sessionOptions());
        try {
            co_await person.control(*self.session, rounds);
            co_await person.releaseAll(*self.session);
            released = true;
        } catch (const zk::Error &) {
            // Another session.
        }
    }
    m_counts[variations::JobChanges] += person.changes().all - person.changes().ofTasks;
    m_counts[variations::TaskChanges] += person.changes().ofTasks;
    m_counts[variations::Cancels] += person.changes().cancels;
    m_counts[variations::Stepdowns] += person.changes().stepdowns;
    --m_busy;
}

async::Task<void> SimCluster::liveAsContender(Process &self)
{
    int rounds = 4;
    FakeSessionOptions patient;
    patient.sessionTimeout = 1h;
    patient.latency = 1ms;
    if (!m_options.fenced)
        patient.sabotage = stripFences;
    self.writer = m_server.connect(self.loop, patient);
    while (rounds > 0) {
        self.session = m_server.connect(self.loop, sessionOptions());
        try {
            co_await self.session->connected();
            co_await self.session->ensurePath(m_guarded);
            co_await writeUnderLock(self, rounds);
        } catch (const zk::Error &) {
            // The session, or the ensurePath's connection, is lost: another life.
        }
    }
    --m_busy;
}

// As the command under `drover lock` does, it writes through a session that knows nothing of the lock's. When the
// process has stood still for too long between the two, the lock is another's, and only the fence stops the write.
async::Task<void> SimCluster::writeUnderLock(Process &self, int &rounds)
{
    recipes::Mutex mutex(*self.session, m_lock);
    for (; rounds > 0; --rounds) {
        co_await async::sleepFor(self.loop, some(3s));
        const recipes::Lock lock = co_await mutex.acquire();
        if (m_random.chance(0.1))
            self.loop.freezeFor(some(10s));
        co_await async::sleepFor(self.loop, some(1s));
        Transaction transaction;
        lock.fence().guard(transaction).set(m_guarded, lock.fence().token());
        const Answer<zk::Committed> committed = co_await self.writer->commit(transaction);
        m_counts[variations::RefusedWrites] += !committed.ok();
    }
}

Counts SimCluster::counts() const
{
    Counts all = m_counts;
    for (const auto &worker : m_workers)
        all[variations::RefusedStarts] += worker ? worker->runner->refusals() : 0;
    all[variations::GaveUp] = m_invariants.gaveUp();
    all[variations::GangRounds] = m_invariants.gangs().begun();
    all[variations::GangsAgain] = m_invariants.gangs().again();
    all[variations::GangsSucceeded] = m_invariants.gangs().succeeded();
    all[variations::GangRoundsWithdrawn] = m_invariants.gangs().withdrawn();
    all[variations::GangRoundsLimited] = m_invariants.gangs().limited();
    all[variations::ArraysDone] = m_invariants.arrays().done() - m_invariants.arrays().cancelled();
    all[variations::ArraysCancelled] = m_invariants.arrays().cancelled();
    all[variations::ArraysSkipped] = m_invariants.arrays().skipped();
    all[variations::Waited] = m_invariants.waited();
    all[variations::Singletons] = m_invariants.singletons().claimed();
    all[variations::MovedSingletons] = has(variations::Moves) ? m_invariants.singletons().moved() : 0;
    all[variations::LockWaits] = m_invariants.lockWaits();
    all[variations::Permits] = m_invariants.permits().begun();
    all[variations::PrefetchesStarted] = m_invariants.saidToRun();
    all[variations::RefusedReads] = m_server.obstacles().readsRefused;
    all[variations::RefusedChanges] = m_server.obstacles().writesRefused;
    all[variations::TooLarge] = m_server.obstacles().tooLarge;
    all[variations::Waits] = m_server.obstacles().waits;
    all[variations::QueuedRuns] =
        std::count_if(m_witness.begin(), m_witness.end(), [](const Execution &run) { return run.followed; });
    return all;
}

void SimCluster::run()
{
    m_server.onEviction([this](zk::SessionId session) { noteEviction(session); });
    m_disks.resize(static_cast<std::size_t>(m_options.workers));
    m_workers.resize(static_cast<std::size_t>(m_options.workers));
    for (int i = 0; i < m_options.workers; ++i)
        startWorker(i);
    const auto start = [this](async::Task<void> (SimCluster::*life)(Process &)) {
        ++m_busy;
        m_others.push_back(makeProcess());
        m_others.back()->life.spawn((this->*life)(*m_others.back()));
    };
    start(&SimCluster::liveAsClient);
    for (int i = 0; i < m_options.contenders; ++i)
        start(&SimCluster::liveAsContender);
    if (has(variations::Control))
        start(&SimCluster::liveAsOperator);
    if (has(variations::Deletions))
        start(&SimCluster::liveAsManualDeleter);
    if (has(variations::Closings))
        start(&SimCluster::liveAsNodeCloser);
    if (has(variations::Orders))
        start(&SimCluster::liveAsQueueAdmin);
    if (has(variations::Needs) && has(variations::Gangs))
        start(&SimCluster::liveAsLimitAdmin);
    scheduleIncidents();
    const bool settled = m_world.runUntil([this] { return m_busy == 0 || !m_failure.isEmpty(); });
    if (!m_failure.isEmpty())
        throw std::runtime_error("not caught: " + m_failure.toStdString());
    if (!settled)
        throw std::runtime_error("a client or a contender for the lock never came to its end");
    m_faults.heal();
    freeServers();
    if (m_storage)
        m_storage->restore();
    m_counts[variations::TimesByWrongClocks] += has(variations::WrongClocks) ? m_invariants.timesNoted() : 0;
    m_options.variations.remove(variations::Sick).remove(variations::WrongClocks);
    for (const auto &worker : m_workers) {
        if (worker) {
            worker->runner->setSick(0, 0);
            worker->loop.setClockAhead(0ms);
        }
    }
    m_world.runFor(30s); // sessions of the dead expire, killed workers come back
    if (!m_world.runUntil([this] { return m_invariants.allAcknowledgedAreDone(); }, m_options.patience))
        throw std::runtime_error("an acknowledged job never came to its end:" + unfinished().toStdString());
    // What was not acknowledged may run for longer, or be set aside.
    m_world.runFor(has(variations::Closings) ? 13min : has(variations::Deletions) ? 3min : 2min);
    m_invariants.checkFinalState(m_queues, m_options.workers);
    m_invariants.checkGangs(m_witness);
    if (m_storage)
        inspectStorage();
    if (!has(variations::Deletions)) // who deletes claims by hand lets two run
        m_invariants.checkExecutions(m_witness, SlotsPerWorker);
}

} // namespace drover::test
