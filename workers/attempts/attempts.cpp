#include "workers/attempts/attempts.h"

#include "async/or_timeout.h"
#include "recipes/blocks/follow.h"
#include "workers/attempts/command_translation.h"
#include "workers/claims/reporter.h"
#include "workers/claims/start_attempt.h"

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;

namespace {

constexpr auto RequestWatchDelay = 50ms; // shorter jobs are over before a watch on their claim would pay
constexpr auto SlowStart = 1s; // it may hang in what its paths lead to
constexpr auto ShortJob = 10ms; // it is worth waiting for such a one
constexpr std::size_t MaxInSlotQueue = 3;
constexpr auto ForgivePatience = 5s; // with the replay journal

} // namespace

Attempts::Attempts(jobs::Cluster cluster, const WorkerOptions &options, Runner &runner, Reporter &reporter,
                   OutcomeReporter &outcomes, MachineHealth &health, Listener &listener)
    : m_cluster(std::move(cluster)), m_options(options), m_runner(runner), m_reporter(reporter), m_outcomes(outcomes),
      m_health(health), m_listener(listener)
{
}

Attempts::~Attempts()
{
    for (const auto &[runId, attempt] : m_underWay)
        m_runner.kill(runId, 0s);
}

void Attempts::begin(ClaimedJob job, Capacity::Reservation room)
{
    const quint32 slotQueue = Capacity::isOneSlot(job.spec.needs) ? ++m_lastSlotQueue : 0;
    start(std::move(job), slotQueue, std::move(room));
}

bool Attempts::canEnqueueBehind() const
{
    const std::optional<async::Duration> expected = this->expected();
    return expected && *expected < ShortJob
        && std::any_of(m_slotQueues.begin(), m_slotQueues.end(),
                       [](const auto &slotQueue) { return slotQueue.second.size() < MaxInSlotQueue; });
}

void Attempts::enqueueBehind(ClaimedJob job)
{
    const auto shortest = std::min_element(m_slotQueues.begin(), m_slotQueues.end(), [](const auto &a, const auto &b) {
        return a.second.size() < b.second.size();
    });
    start(std::move(job), shortest->first, nullptr);
}

int Attempts::waiting() const
{
    std::size_t count = 0;
    for (const auto &[slotQueue, runIds] : m_slotQueues)
        count += runIds.size() - 1;
    return static_cast<int>(count);
}

void Attempts::recall(const QByteArray &queue)
{
    for (const auto &[runId, attempt] : m_underWay) {
        if (!attempt.started && (queue.isEmpty() || attempt.job.id.queue == queue))
            m_runner.recall(runId);
    }
}

void Attempts::abandon(Grace grace)
{
    m_planned = true;
    m_outcomes.abandon();
    for (const auto &[runId, attempt] : m_underWay)
        m_runner.kill(runId, grace == Grace::None ? 0s : m_options.bounds.graceOf(attempt.job.spec));
}

async::Task<void> Attempts::ended()
{
    co_await m_runs.drained();
    co_await m_outcomes.drained();
}

async::Task<void> Attempts::killAll()
{
    m_outcomes.abandon();
    for (const auto &[runId, attempt] : m_underWay)
        m_runner.kill(runId, 0s);
    const auto patience = m_cluster.zk.sessionTimeout() / 20; // half of what the lease keeps back for the killing
    const async::Timer late = m_cluster.zk.loop().after(patience, [this] {
        if (running() > 0)
            m_runner.killRunner();
    });
    co_await ended();
}

void Attempts::start(ClaimedJob job, quint32 slotQueue, Capacity::Reservation room)
{
    Command command = commandOf(job, m_options);
    command.slotQueue = slotQueue;
    job.setMayHaveBegun(true);
    RunHandle process = m_runner.run(std::move(command));
    if (slotQueue != 0)
        m_slotQueues[slotQueue].push_back(process.runId);
    const bool first = room != nullptr;
    m_underWay.emplace(process.runId,
                       Attempt{std::move(job), slotQueue, std::move(room), first, m_cluster.zk.loop().now()});
    m_runs.spawn(run(std::move(process)));
}

async::Task<void> Attempts::run(RunHandle process)
{
    async::Timer silence; // of one that does not wait for another
    if (m_underWay.at(process.runId).started)
        silence = m_health.expectAnswer([started = process.started] { return started.ready(); });
    std::optional<Outcome> outcome;
    QString trouble; // why this machine could not run it
    bool mayHaveBegun = true;
    {
        async::TaskGroup watching([](const std::exception_ptr &) {}); // only the session's end stops it early
        watching.spawn(watchForRequests(process));
        try {
            outcome = co_await process.outcome;
            mayHaveBegun = outcome->began();
        } catch (const NoRunner &error) {
            trouble = QString::fromUtf8(error.what());
            mayHaveBegun = false;
        } catch (const RunnerDied &error) { // the job has died with it, and is another attempt's now
            trouble = QString::fromUtf8(error.what());
        }
    }
    Attempt attempt = std::move(m_underWay.extract(process.runId).mapped());
    attempt.job.setMayHaveBegun(mayHaveBegun);
    passSlotOn(attempt, process.runId, outcome.has_value());
    if (outcome && outcome->how == How::Withdrawn) { // the one before it has the slot
        m_listener.attemptRecalled(std::move(attempt.job));
        co_return;
    }
    if (outcome)
        m_health.noteOutcome(*outcome, attempt.since);
    else
        m_health.noteTrouble(trouble, !mayHaveBegun);
    attempt.started = attempt.started && mayHaveBegun;
    co_await conclude(attempt, outcome);
    attempt.room.reset();
    m_listener.attemptEnded();
}

// Tells how it has ended, or gives the job back.
async::Task<void> Attempts::conclude(const Attempt &attempt, const std::optional<Outcome> &outcome)
{
    const bool killed = outcome && outcome->how == How::Killed;
    if (killed && attempt.lostClaim)
        co_return; // there is nothing to give back
    const bool isEnd = outcome && !MachineHealth::isRefusal(*outcome) && outcome->how != How::LeaseExpired
        && !(killed && m_outcomes.isAbandoned());
    if (isEnd && attempt.requeue && killed) {
        co_await giveBackUncounted(attempt.job, true);
    } else if (isEnd) {
        const bool reported = co_await m_outcomes.report(attempt.job, *outcome);
        m_times.noteEnd(outcome->elapsed, m_cluster.zk.loop().now());
        if (!reported && isForgiven(attempt.job)) // the next life reports the end, if the job is not claimed by then
            co_await giveBackUncounted(attempt.job, true);
    } else {
        co_await giveBack(attempt, outcome.has_value());
    }
}

// The start is forgiven first: once the job is given back, it may begin here again. A disk that hangs delays that for a
// while. Later the journal still forgives it, before it notes the next start.
async::Task<void> Attempts::giveBackUncounted(const ClaimedJob &job, bool hasStarted)
{
    try {
        if (job.noted && job.spec.gang == 0) // JobVerifier allows a gang's members more starts instead
            co_await async::orTimeout(m_cluster.zk.loop(), job.noted->forgive(jobs::JobSpec::MaxForgiven),
                                      ForgivePatience);
    } catch (const async::Timeout &) {
        // It is written once the disk answers.
    }
    if (hasStarted)
        m_reporter.requeue(job);
    else
        m_reporter.giveBackUnstarted(job);
}

// Whether it may be given back once more at no cost.
bool Attempts::isForgiven(const ClaimedJob &job) const
{
    return m_planned || job.spec.notes.returned < jobs::JobSpec::MaxForgiven;
}

// What was not ended by itself.
async::Task<void> Attempts::giveBack(const Attempt &attempt, bool hasOutcome)
{
    const bool endedHere =
        hasOutcome || m_cluster.zk.state() != zk::Client::State::Connected; // or the runner, for the lease
    if (!attempt.started || (endedHere && isForgiven(attempt.job)))
        co_await giveBackUncounted(attempt.job, attempt.started);
    else
        m_reporter.giveBack(attempt.job);
}

// Hands the slot of an attempt that is over to the next one of its slot queue. The next one has started if this one has
// `ended`; otherwise all are lost.
void Attempts::passSlotOn(Attempt &attempt, RunId runId, bool ended)
{
    if (attempt.slotQueue == 0)
        return;
    const auto slotQueue = m_slotQueues.find(attempt.slotQueue);
    std::deque<RunId> &runIds = slotQueue->second;
    std::erase(runIds, runId);
    if (runIds.empty()) {
        m_slotQueues.erase(slotQueue);
        return;
    }
    if (!attempt.room)
        return;
    Attempt &next = m_underWay.at(runIds.front());
    next.room = std::move(attempt.room);
    next.started = next.started || ended;
    if (ended)
        next.since = m_cluster.zk.loop().now();
}

// One that has not begun for long may hang in its start: people want to cancel that, too.
async::Task<void> Attempts::watchForRequests(RunHandle process)
{
    async::Promise<std::monostate> begin;
    const async::Future<std::monostate> begins = begin.future();
    const async::Timer late = m_cluster.zk.loop().after(SlowStart, [&begin] {
        if (!begin.settled())
            begin.set({});
    });
    async::TaskGroup starting([](const std::exception_ptr &) {}); // only the session's end stops it early
    starting.spawn(noteStart(process, begin));
    co_await begins;
    const RunId runId = process.runId;
    const auto onClaim = [this, runId](const zk::Node *node) { this->onClaim(node, runId); };
    co_await recipes::followData(m_cluster.zk, m_cluster.layout.claim(m_underWay.at(runId).job.id), onClaim);
}

async::Task<void> Attempts::noteStart(RunHandle process, async::Promise<std::monostate> &watch)
{
    const std::optional<Started> started = co_await process.started;
    if (!started)
        co_return;
    if (started->unbounded && m_options.limitsProcesses)
        m_health.noteUnbounded();
    m_health.noteAnswer();
    const Attempt &attempt = m_underWay.at(process.runId);
    m_health.noteBeginning(attempt.since);
    co_await async::sleepFor(m_cluster.zk.loop(), RequestWatchDelay);
    if (attempt.job.prefetched)
        co_await clearPrefetchMark(m_cluster, attempt.job);
    if (!watch.settled())
        watch.set({});
}

// While our session lives only people delete its claims. Any worker may run the job then, but not beside this attempt.
void Attempts::onClaim(const zk::Node *claim, RunId runId)
{
    Attempt &attempt = m_underWay.at(runId);
    if (!claim || claim->stat.czxid != attempt.job.claimZxid) {
        attempt.lostClaim = true;
        m_runner.kill(runId, 0s);
        return;
    }
    if (const auto read = jobs::tryDecode<jobs::Claim>(claim->data)) // otherwise not a request of ours
        obey(*read, runId);
}

// What is seen again was obeyed before.
void Attempts::obey(const jobs::Claim &claim, RunId runId)
{
    Attempt &attempt = m_underWay.at(runId);
    const auto kept = static_cast<int>(claim.latestSignals.size());
    const int unseen = std::min(claim.signalCount - attempt.signalsPassedOn, kept);
    for (int i = kept - unseen; i < kept; ++i)
        m_runner.signal(runId, claim.latestSignals[static_cast<std::size_t>(i)].number);
    attempt.signalsPassedOn = claim.signalCount;
    attempt.requeue = claim.requeue && !claim.cancelled;
    if ((claim.cancelled || claim.requeue) && !std::exchange(attempt.killed, true))
        m_runner.kill(runId, m_options.bounds.graceOf(attempt.job.spec));
}

std::vector<RunTimes::Running> Attempts::runningNow() const
{
    std::vector<RunTimes::Running> running;
    for (const auto &[runId, attempt] : m_underWay) {
        if (attempt.started)
            running.push_back({m_cluster.zk.loop().now() - attempt.since, attempt.job.spec.needs.slots});
    }
    return running;
}

std::optional<async::Duration> Attempts::untilFree(int slotCount) const
{
    return RunTimes::ageOfLast(runningNow(), slotCount);
}

std::optional<async::Duration> Attempts::expected() const
{
    return m_times.expected(runningNow(), m_cluster.zk.loop().now());
}

} // namespace drover::workers
