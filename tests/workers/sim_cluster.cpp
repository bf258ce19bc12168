#include "workers/sim_cluster.h"

#include "jobs/cancel.h"
#include "jobs/cordon.h"
#include "jobs/limits.h"
#include "jobs/queue_settings.h"
#include "recipes/mutex.h"
#include "support/strip_fences.h"
#include "workers/reporter.h"
#include "workers/sim_meddler.h"
#include "workers/sim_operator.h"
#include "workers/worker.h"

namespace drover::test {

using namespace std::chrono_literals;
using zk::Answer;
using zk::Transaction;

// One simulated process. Members are destroyed from the last: the life ends before the session it uses.
struct SimCluster::Participant {
    Participant(VirtualLoop &world, async::TaskGroup::ErrorHandler onError) : loop(world), life(std::move(onError)) { }

    ParticipantLoop loop;
    std::unique_ptr<FakeSession> session;
    std::unique_ptr<FakeSession> writer; // a contender's: the one by which it writes
    std::unique_ptr<SimRunner> runner;
    workers::Worker *worker = nullptr; // while one lives
    std::vector<workers::Report> unanswered{}; // of its last life
    async::TaskGroup life;
};

SimCluster::SimCluster(Options options)
    : m_options(options), m_random(options.seed),
      m_queues(options.secondQueue ? QByteArrayList{"default", "other"} : QByteArrayList{"default"}), m_faults([&] {
          FaultPlan plan = FaultPlan::everything(options.seed, options.faults);
          if (options.unfolding)
              plan.loseReply = 0.1;
          return plan;
      }())
{
}

SimCluster::~SimCluster() = default;

async::Duration SimCluster::some(async::Duration longest)
{
    return std::chrono::duration_cast<async::Duration>(longest * m_random.unit());
}

std::unique_ptr<SimCluster::Participant> SimCluster::makeParticipant()
{
    const auto onError = [this](const std::exception_ptr &error) { m_failure = async::describe(error); };
    return std::make_unique<Participant>(m_world, onError);
}

// Each life of a session is a life of the worker, as in the program.
async::Task<void> SimCluster::liveAsWorker(Participant &self, int index)
{
    workers::WorkerOptions options;
    options.id = QStringLiteral("w%1").arg(index);
    options.queues = m_queues;
    options.slotCount = SlotsPerWorker;
    options.spool = QStringLiteral("/spool");
    if (index == 0)
        options.labels.append(QStringLiteral("rare"));
    for (;;) {
        self.session = m_server.connect(self.loop, sessionOptions());
        self.runner->noteSession();
        co_await workOnce(self, options);
        co_await async::sleepFor(self.loop, 100ms);
    }
}

async::Task<void> SimCluster::workOnce(Participant &self, workers::WorkerOptions options)
{
    workers::Worker worker(*self.session, m_layout, std::move(options), *self.runner);
    self.worker = &worker;
    worker.giveBackFirst(std::exchange(self.unanswered, {}));
    try {
        co_await worker.run();
    } catch (const zk::SessionLost &) {
        self.unanswered = worker.unanswered();
    }
    m_incidents.handedOn += static_cast<qint64>(self.unanswered.size());
    self.worker = nullptr;
    m_incidents.rejectedReports += worker.rejectedReports();
    m_incidents.keptReported += worker.keptReported();
}

void SimCluster::startWorker(int index)
{
    auto &slot = m_workers[static_cast<std::size_t>(index)];
    slot = makeParticipant();
    SimDisk &disk = m_disks[static_cast<std::size_t>(index)];
    disk.restart();
    const async::Duration longest = m_options.outages || m_options.longJobs ? 12s : 2s; // beyond the leases, or not
    slot->runner = std::make_unique<SimRunner>(slot->loop, "w" + QByteArray::number(index), m_random.next(), longest,
                                               m_witness, disk);
    if (m_options.waiting)
        slot->runner->setFailures(0.3);
    if (m_options.shortJobs)
        slot->runner->setShort(0.9);
    if (m_options.sick)
        slot->runner->setSick(0.3, 0.2);
    slot->life.spawn(liveAsWorker(*slot, index));
}

SimCluster::Participant *SimCluster::someWorker()
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
    const int index = m_random.below(m_options.workers);
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
    Participant *self = someWorker();
    if (!self || !self->worker || self->loop.frozen())
        return;
    ++m_incidents.stops;
    if (m_random.chance(0.5))
        self->worker->abandonJobs();
    else
        self->worker->stop();
}

void SimCluster::killSomeRunner()
{
    Participant *self = someWorker();
    if (!self || !self->worker)
        return;
    m_incidents.runnerDeaths += self->worker->running() > 0;
    self->runner->die();
}

void SimCluster::beginOutage()
{
    if (!m_server.running())
        return;
    ++m_incidents.outages;
    m_server.stop();
    m_world.at(m_world.now() + some(10s), [this] { m_server.start(); });
}

void SimCluster::scheduleIncidents()
{
    const auto during = [this](int times, void (SimCluster::*incident)()) {
        for (int i = 0; i < times; ++i)
            m_world.at(m_world.now() + some(20s), [this, incident] { (this->*incident)(); });
    };
    during(m_options.kills ? 1 : 0, &SimCluster::killSomeWorker);
    during(m_options.stops ? 3 : 0, &SimCluster::stopSomeWorker);
    during(m_options.outages ? 3 : 0, &SimCluster::beginOutage);
    during(m_options.runnerDeaths ? 10 : 0, &SimCluster::killSomeRunner);
}

async::Task<void> SimCluster::liveAsClient(Participant &self)
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
        }
    }
    --m_busy;
}

async::Task<void> SimCluster::submitJobs(zk::Coordinator &zk, int &next)
{
    co_await zk.connected();
    co_await jobs::ensureCluster(zk, m_layout, m_queues);
    jobs::Submitter submitter(zk, m_layout, {});
    for (; next < m_options.jobs; ++next) {
        const bool atOnce = (m_options.rush || m_options.shortJobs) && next < m_options.jobs * 2 / 3;
        const async::Duration pause = atOnce ? 0ms : some(2s);
        co_await async::sleepFor(zk.loop(), pause);
        const std::optional<jobs::JobId> id = co_await submit(submitter, spec(next));
        if (!id || !m_random.chance(0.2))
            continue;
        try {
            co_await async::sleepFor(zk.loop(), some(1s));
            co_await jobs::cancel(zk, m_layout, *id);
        } catch (const jobs::WrongState &) {
            // It had ended.
        } catch (const jobs::NotFound &) {
            // Somebody has deleted it.
        }
    }
}

async::Task<std::optional<jobs::JobId>> SimCluster::submit(jobs::Submitter &submitter, jobs::JobSpec job)
{
    m_invariants.submitted(job.key);
    std::optional<jobs::JobId> id;
    try {
        id = co_await submitter.submit(job);
    } catch (const jobs::IdUnknown &) {
        co_return std::nullopt; // its submitter's session has ended, or somebody has deleted it
    }
    m_invariants.acknowledged(*id, job);
    m_incidents.deduped += !job.dedupe.isEmpty() && std::count(m_ids.begin(), m_ids.end(), *id) > 0;
    m_ids.push_back(*id);
    co_return id;
}

async::Task<void> SimCluster::liveAsForeman(Participant &self)
{
    self.session = m_server.connect(self.loop, {.sessionTimeout = 1h, .latency = 1ms});
    zk::Coordinator &zk = *self.session;
    co_await zk.connected();
    co_await jobs::ensureCluster(zk, m_layout, m_queues);
    for (int round = 0; round < 4; ++round) {
        co_await async::sleepFor(self.loop, some(4s));
        const QByteArray queue = m_queues[m_random.below(static_cast<int>(m_queues.size()))];
        const QByteArray worker = "w" + QByteArray::number(m_random.below(m_options.workers));
        bool pause = true;
        const auto change = [&pause](jobs::QueueSettings &settings) { settings.paused = pause; };
        const int limit = m_random.below(3);
        co_await jobs::limitQueue(zk, m_layout, queue, limit);
        co_await jobs::changeQueue(zk, m_layout, queue, change);
        co_await jobs::cordon(zk, m_layout, worker, jobs::Cordon());
        ++m_incidents.cordons;
        const Answer<zk::Children> left = co_await zk.children(m_layout.queue(queue));
        m_incidents.pauses += !left->names.isEmpty();
        co_await async::sleepFor(self.loop, some(4s));
        pause = false;
        co_await jobs::changeQueue(zk, m_layout, queue, change);
        co_await async::sleepFor(self.loop, some(4s));
        co_await jobs::uncordon(zk, m_layout, worker);
    }
    for (const QByteArray &queue : m_queues) // may be lower than a gang is wide
        co_await jobs::limitQueue(zk, m_layout, queue, 0);
    --m_busy;
}

// Sets the limit that jobs ask for; in the end it is enough for every gang.
async::Task<void> SimCluster::liveAsWarden(Participant &self)
{
    self.session = m_server.connect(self.loop, {.sessionTimeout = 1h, .latency = 1ms});
    zk::Coordinator &zk = *self.session;
    co_await jobs::ensureCluster(zk, m_layout, m_queues);
    for (int left = 4; left >= 0; --left) {
        co_await async::sleepFor(self.loop, some(8s));
        const int permits = left > 0 ? m_random.below(MostMembers + 1) : MostMembers;
        co_await jobs::setLimit(zk, m_layout, "api", permits);
    }
    --m_busy;
}

async::Task<void> SimCluster::liveAsMeddler(Participant &self)
{
    self.session = m_server.connect(self.loop, {.sessionTimeout = 1h, .latency = 1ms});
    co_await self.session->connected();
    m_invariants.setMeddler(self.session->sessionId());
    SimMeddler person(m_random, m_layout, m_queues);
    co_await person.meddle(*self.session, 30);
    m_incidents.meddled = person.counts();
    --m_busy;
}

async::Task<void> SimCluster::liveAsOperator(Participant &self)
{
    SimOperator person(m_random, m_layout, m_queues, m_ids, [this](const jobs::JobId &id) {
        m_invariants.acknowledged(id);
        m_ids.push_back(id);
    });
    int rounds = 20;
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
    m_incidents.changes += person.changes().all;
    m_incidents.taskChanges += person.changes().ofTasks;
    m_incidents.cancels += person.changes().cancels;
    m_incidents.stepdowns += person.changes().stepdowns;
    --m_busy;
}

async::Task<void> SimCluster::liveAsContender(Participant &self)
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
async::Task<void> SimCluster::writeUnderLock(Participant &self, int &rounds)
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
        m_incidents.refusedWrites += !committed.ok();
    }
}

SimCluster::Incidents SimCluster::incidents() const
{
    Incidents all = m_incidents;
    for (const auto &worker : m_workers)
        all.refusals += worker ? worker->runner->refusals() : 0;
    all.gaveUp = m_invariants.gaveUp();
    all.gangRounds = m_invariants.gangs().begun();
    all.gangsAgain = m_invariants.gangs().again();
    all.gangsSucceeded = m_invariants.gangs().succeeded();
    all.gangRoundsWithdrawn = m_invariants.gangs().withdrawn();
    all.gangRoundsLimited = m_invariants.gangs().limited();
    all.arraysDone = m_invariants.arrays().done();
    all.arraysCancelled = m_invariants.arrays().cancelled();
    all.arraysSkipped = m_invariants.arrays().skipped();
    all.waited = m_invariants.waited();
    all.singletons = m_invariants.singletons();
    all.lockWaits = m_invariants.lockWaits();
    all.permits = m_invariants.permits().begun();
    all.saidToRun = m_invariants.saidToRun();
    all.followers =
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
    const auto start = [this](async::Task<void> (SimCluster::*life)(Participant &)) {
        ++m_busy;
        m_others.push_back(makeParticipant());
        m_others.back()->life.spawn((this->*life)(*m_others.back()));
    };
    start(&SimCluster::liveAsClient);
    for (int i = 0; i < m_options.contenders; ++i)
        start(&SimCluster::liveAsContender);
    if (m_options.control)
        start(&SimCluster::liveAsOperator);
    if (m_options.meddling)
        start(&SimCluster::liveAsMeddler);
    if (m_options.orders)
        start(&SimCluster::liveAsForeman);
    if (m_options.needs && m_options.gangs)
        start(&SimCluster::liveAsWarden);
    scheduleIncidents();
    const bool settled = m_world.runUntil([this] { return m_busy == 0 || !m_failure.isEmpty(); });
    if (!m_failure.isEmpty())
        throw std::runtime_error("nobody catches: " + m_failure.toStdString());
    if (!settled)
        throw std::runtime_error("a client or a contender for the lock never came to its end");
    m_faults.heal();
    m_options.sick = false;
    for (const auto &worker : m_workers) {
        if (worker)
            worker->runner->setSick(0, 0);
    }
    m_world.runFor(30s); // sessions of the dead expire, killed workers come back
    if (!m_world.runUntil([this] { return m_invariants.allAcknowledgedAreDone(); }, m_options.patience))
        throw std::runtime_error("an acknowledged job never came to its end");
    m_world.runFor(m_options.meddling ? 3min : 2min); // what was not acknowledged may run for longer
    m_invariants.checkFinalState(m_queues, m_options.workers);
    m_invariants.checkGangs(m_witness);
    if (!m_options.meddling) // who deletes claims by hand lets two run
        m_invariants.checkExecutions(m_witness, SlotsPerWorker);
}

} // namespace drover::test
