#include "workers/attempts/attempts.h"

#include "async/event.h"
#include "async/first_of.h"
#include "async/or_timeout.h"
#include "jobs/cluster/members.h"
#include "output/spool_files.h"
#include "recipes/blocks/follow.h"
#include "recipes/blocks/persistent.h"
#include "workers/attempts/command_translation.h"
#include "workers/claims/reporter.h"
#include "workers/claims/start_attempt.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(lcAttempts, "drover.workers.attempts")

namespace {

constexpr auto RequestWatchDelay = 50ms; // shorter jobs are over before a watch on their claim would pay
constexpr auto SlowStart = 1s; // it may hang in what its paths lead to
constexpr auto KeptPatience = 5s; // what has ended need not run again; but a file that it is appended to may hang
constexpr auto ShortJob = 10ms; // it is worth waiting for such a one
constexpr std::size_t MaxInSlotQueue = 3;

// The attempt with this claim, if it is still the job's: the claim, or the beginning, was the last that happened to the
// job. A cancel came after it, and so did whatever ended this attempt before.
async::Task<std::optional<ClaimedJob>> stillCurrent(jobs::Cluster cluster, QByteArray keptClaim)
{
    std::optional<ClaimedJob> job = decodeClaim(keptClaim);
    if (!job)
        co_return std::nullopt;
    const zk::Answer<zk::Node> node =
        co_await recipes::Persistent(cluster.zk).get(cluster.layout.job(job->id.queue, job->entry));
    if (!node.ok() || node->stat.version != job->fenceVersion() || node->stat.mzxid != job->fenceZxid())
        co_return std::nullopt;
    const auto spec = jobs::tryDecode<jobs::JobSpec>(node->data, job->id.queue, job->entry.priority);
    if (!spec)
        co_return std::nullopt;
    job->stored = node->data;
    job->spec = *spec;
    job->attempts = spec->attempts(job->fenceVersion());
    co_return job;
}

} // namespace

Attempts::Attempts(jobs::Cluster cluster, const WorkerOptions &options, Runner &runner, Reporter &reporter,
                   zk::ServerClock &clock, MachineHealth &health, WorkerConditions &conditions, Listener &listener)
    : m_cluster(std::move(cluster)), m_options(options), m_runner(runner), m_reporter(reporter), m_clock(clock),
      m_appender(m_cluster, options.id.toUtf8(), options.bounds, options.policy.outputFolders), m_health(health),
      m_conditions(conditions), m_listener(listener)
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
    m_abandoned.set();
    for (const auto &[runId, attempt] : m_underWay)
        m_runner.kill(runId, grace == Grace::None ? 0s : m_options.bounds.graceOf(attempt.job.spec));
}

async::Task<void> Attempts::killAll()
{
    m_abandoned.set();
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
    m_underWay.emplace(process.runId, Attempt{job, slotQueue, std::move(room), first, m_cluster.zk.loop().now()});
    m_runs.spawn(run(std::move(job), std::move(process)));
}

async::Task<void> Attempts::run(ClaimedJob job, RunHandle process)
{
    async::Timer silence; // of one that does not wait for another
    if (m_underWay.at(process.runId).started)
        silence = m_health.expectAnswer([started = process.started] { return started.ready(); });
    std::optional<Outcome> outcome;
    QString trouble; // why this machine could not run it
    bool mayHaveBegun = true;
    {
        async::TaskGroup watching([](const std::exception_ptr &) {}); // only the session's end stops it early
        watching.spawn(watchForRequests(job, process));
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
    job.setMayHaveBegun(mayHaveBegun);
    Attempt attempt = std::move(m_underWay.extract(process.runId).mapped());
    passSlotOn(attempt, process.runId, outcome.has_value());
    if (outcome && outcome->how == How::Withdrawn) { // the one before it has the slot
        m_listener.attemptRecalled(std::move(job));
        co_return;
    }
    if (outcome)
        m_health.noteOutcome(*outcome, attempt.since);
    else
        m_health.noteTrouble(trouble, !mayHaveBegun);
    attempt.started = attempt.started && mayHaveBegun;
    co_await conclude(job, attempt, outcome, process.runId);
    attempt.room.reset();
    m_listener.attemptEnded();
}

// Tells how it has ended, or gives the job back.
async::Task<void> Attempts::conclude(ClaimedJob job, const Attempt &attempt, std::optional<Outcome> outcome,
                                     RunId runId)
{
    const bool killed = outcome && outcome->how == How::Killed;
    if (killed && attempt.lostClaim)
        co_return; // there is nothing to give back
    const bool isEnd = outcome && !MachineHealth::isRefusal(*outcome) && outcome->how != How::LeaseExpired
        && !(killed && m_abandoned.isSet());
    if (isEnd && attempt.requeue && killed) {
        m_reporter.requeue(job);
    } else if (isEnd) {
        const bool told = co_await report(job, *outcome, runId);
        if (!told)
            m_reporter.giveBack(job);
        m_times.noteEnd(outcome->elapsed, m_cluster.zk.loop().now());
    } else {
        giveBack(job, attempt, outcome);
    }
}

// What was not ended by itself.
void Attempts::giveBack(const ClaimedJob &job, const Attempt &attempt, const std::optional<Outcome> &outcome)
{
    const bool endedHere =
        outcome || m_cluster.zk.state() != zk::Client::State::Connected; // or the runner, for the lease
    const bool forgiven = m_planned || job.spec.notes.returned < jobs::JobSpec::MaxForgiven;
    if (!attempt.started)
        m_reporter.giveBackUnstarted(job);
    else if (endedHere && forgiven)
        m_reporter.requeue(job);
    else
        m_reporter.giveBack(job);
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

// False: that ended before the output was in the file that its submitter named.
async::Task<bool> Attempts::report(ClaimedJob job, Outcome outcome, RunId runId)
{
    jobs::FinalRecord record = recordOf(job, m_options.id, outcome);
    // Asked of the command's own end: one that has succeeded does not run again because of what comes after it.
    const bool again = runsAgain(job, record);
    if (record.outcome == jobs::FinalRecord::Outcome::Refused)
        noteRefusal(record);
    if (!job.spec.appendTo.isEmpty()) {
        const bool settled = co_await append(job, outcome, record);
        if (!settled)
            co_return false;
    }
    if (again)
        co_await retryLater(job, record, runId);
    else
        m_reporter.finish(job, record, [this, runId] { m_runner.acknowledge(runId); });
    co_return true;
}

bool Attempts::runsAgain(const ClaimedJob &job, const jobs::FinalRecord &record) const
{
    return record.state() == jobs::JobState::Failed && record.outcome != jobs::FinalRecord::Outcome::Refused
        && job.spec.retry.covers(record.exitCode(), job.spec.notes.failed);
}

void Attempts::noteRefusal(const jobs::FinalRecord &record)
{
    m_conditions.jobsRefused(1);
    qCWarning(lcAttempts, "%s is refused: %s", record.id.bytes().constData(), qPrintable(record.reason));
}

// A file server or another writer may hang for ever: abandon() ends that, for the same may be appended once more.
// False: it has, or the session has ended, and the next life or another attempt will find what was appended.
async::Task<bool> Attempts::append(ClaimedJob job, Outcome outcome, jobs::FinalRecord &record)
{
    bool settled = false;
    try {
        co_await async::firstOf(m_cluster.zk.loop(), appendNow(job, outcome, record, settled),
                                async::untilSet(m_abandoned));
    } catch (const zk::SessionLost &) {
        // The outcome is unknown.
    }
    co_return settled;
}

async::Task<void> Attempts::appendNow(ClaimedJob job, Outcome outcome, jobs::FinalRecord &record, bool &settled)
{
    const QString stored = output::SpoolFiles::of(m_options.spool, job.id, job.attempts.claimVersion).output;
    co_await m_appender.append(job, outcome, stored, record);
    settled = true;
}

// By the servers' clock, which a claim measures, unless its reply was lost or it was an earlier life's.
async::Task<void> Attempts::retryLater(ClaimedJob job, jobs::FinalRecord record, RunId runId)
{
    try {
        if (!m_clock.isMeasured())
            co_await jobs::measureClock(m_cluster, m_options.id.toLatin1(), m_clock);
    } catch (const zk::SessionLost &) { // the report is not sent, and the next life finds the end again
    }
    constexpr double Range = 4294967296.0; // of a uuid's first part
    const double chance = m_cluster.zk.loop().makeUuid().data1 / Range;
    const std::chrono::milliseconds delay = job.spec.retry.delay(job.spec.notes.failed, chance);
    const int exitCode = record.exitCode();
    record.outcome = jobs::FinalRecord::Outcome::Cancelled;
    record.reason = QStringLiteral("cancelled when it was to be tried again");
    m_reporter.retry(job, m_clock.now() + delay, exitCode, record, [this, runId] { m_runner.acknowledge(runId); });
}

async::Task<void> Attempts::reportKept()
{
    const std::vector<KeptRun> results = m_runner.kept();
    for (const KeptRun &kept : results) {
        std::optional<ClaimedJob> job = co_await stillCurrent(m_cluster, kept.keptClaim);
        if (!job) {
            m_runner.acknowledge(kept.runId);
            continue;
        }
        ++m_keptReported;
        m_runs.spawn(reportAgain(std::move(*job), kept));
    }
    if (m_runs.empty())
        co_return;
    try {
        co_await async::orTimeout(m_cluster.zk.loop(), ended(), KeptPatience);
    } catch (const async::Timeout &) {
        // They go on beside the pulling.
    }
}

async::Task<void> Attempts::reportAgain(ClaimedJob job, KeptRun kept)
{
    co_await report(std::move(job), kept.outcome, kept.runId); // or it is kept for another life
}

// One that has not begun for long may hang in its start: people want to cancel that, too.
async::Task<void> Attempts::watchForRequests(ClaimedJob job, RunHandle process)
{
    async::Promise<std::monostate> begin;
    const async::Future<std::monostate> begins = begin.future();
    const async::Timer late = m_cluster.zk.loop().after(SlowStart, [&begin] {
        if (!begin.settled())
            begin.set({});
    });
    async::TaskGroup starting([](const std::exception_ptr &) {}); // only the session's end stops it early
    starting.spawn(noteStart(job, process, begin));
    co_await begins;
    const RunId runId = process.runId;
    const auto onClaim = [this, runId](const zk::Node *node) { this->onClaim(node, runId); };
    co_await recipes::followData(m_cluster.zk, m_cluster.layout.claim(job.id), onClaim);
}

async::Task<void> Attempts::noteStart(ClaimedJob job, RunHandle process, async::Promise<std::monostate> &watch)
{
    const std::optional<Started> started = co_await process.started;
    if (!started)
        co_return;
    if (started->unbounded && m_options.limitsProcesses)
        m_health.noteUnbounded();
    m_health.noteAnswer();
    m_health.noteBeginning(m_underWay.at(process.runId).since);
    co_await async::sleepFor(m_cluster.zk.loop(), RequestWatchDelay);
    if (job.prefetched)
        co_await clearPrefetchMark(m_cluster, job);
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
