#include "workers/attempts.h"

#include "async/first_of.h"
#include "async/or_timeout.h"
#include "async/until_set.h"
#include "recipes/follow.h"
#include "recipes/persist.h"
#include "workers/begin_claimed.h"
#include "workers/execution.h"
#include "workers/reporter.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(lcAttempts, "drover.workers.attempts")

namespace {

constexpr auto RequestWatchDelay = 50ms; // shorter jobs are over before a watch on their claim would pay
constexpr auto KeptPatience = 5s; // what has ended need not run again; but a file that it is appended to may hang
constexpr auto ShortJob = 10ms; // it is worth waiting for such a one
constexpr std::size_t MaxInLane = 3;
constexpr int MostForgiven = 100; // of what ends a job here without a decision: the job may be its cause
constexpr auto RunnerPatience = 5s; // for it to say that a job has begun

// The machine could not, or might not, begin it.
bool isRefusal(const Outcome &outcome)
{
    return outcome.lackedResources() || (outcome.how == How::LeaseExpired && !outcome.began);
}

} // namespace

Attempts::Attempts(zk::Coordinator &zk, jobs::Layout layout, const WorkerOptions &options, Runner &runner,
                   Reporter &reporter, Capacity &capacity, const ServerClock &clock, Events events)
    : m_zk(zk), m_layout(std::move(layout)), m_options(options), m_runner(runner), m_reporter(reporter),
      m_capacity(capacity), m_clock(clock), m_appender(zk, m_layout, options.id.toUtf8()), m_events(std::move(events)),
      m_respite(zk.loop(), [this] { m_events.rested(); })
{
}

Attempts::~Attempts()
{
    for (const auto &[token, attempt] : m_underWay)
        m_runner.kill(token, 0s);
}

void Attempts::begin(ClaimedJob job)
{
    m_capacity.take(job.spec.needs);
    const quint32 lane = Capacity::isOneSlot(job.spec.needs) ? ++m_lastLane : 0;
    start(std::move(job), lane);
}

bool Attempts::hasPlaceBehind() const
{
    const std::optional<async::Duration> expected = this->expected();
    return expected && *expected < ShortJob
        && std::any_of(m_lanes.begin(), m_lanes.end(), [](const auto &lane) { return lane.second.size() < MaxInLane; });
}

void Attempts::beginBehind(ClaimedJob job)
{
    const auto shortest = std::min_element(
        m_lanes.begin(), m_lanes.end(), [](const auto &a, const auto &b) { return a.second.size() < b.second.size(); });
    start(std::move(job), shortest->first);
}

int Attempts::waiting() const
{
    std::size_t count = 0;
    for (const auto &[lane, tokens] : m_lanes)
        count += tokens.size() - 1;
    return static_cast<int>(count);
}

void Attempts::recall(const QByteArray &queue)
{
    for (const auto &[token, attempt] : m_underWay) {
        if (!attempt.begun && (queue.isEmpty() || attempt.job.id.queue == queue))
            m_runner.recall(token);
    }
}

void Attempts::abandon(Grace grace)
{
    m_planned = true;
    m_abandoned.set();
    for (const auto &[token, attempt] : m_underWay)
        m_runner.kill(token, grace == Grace::None ? 0s : attempt.job.spec.killGrace);
}

async::Task<void> Attempts::killAll()
{
    m_abandoned.set();
    for (const auto &[token, attempt] : m_underWay)
        m_runner.kill(token, 0s);
    const auto patience = m_zk.sessionTimeout() / 20; // half of what the lease keeps back for the killing
    const async::Timer late = m_zk.loop().after(patience, [this] {
        if (running() > 0)
            m_runner.killRunner();
    });
    co_await ended();
}

void Attempts::start(ClaimedJob job, quint32 lane)
{
    Command command = commandOf(job, m_options.spool, m_options.jobEnvironment);
    command.lane = lane;
    Running process = m_runner.run(std::move(command));
    bool first = true;
    if (lane != 0) {
        std::deque<Token> &tokens = m_lanes[lane];
        first = tokens.empty();
        tokens.push_back(process.token);
    }
    m_underWay.emplace(process.token, Attempt{job, lane, first, m_zk.loop().now()});
    m_runs.spawn(run(std::move(job), std::move(process)));
}

async::Task<void> Attempts::run(ClaimedJob job, Running process)
{
    const async::Timer silence = whenSilent(process);
    std::optional<Outcome> outcome;
    QString trouble; // why this machine could not run it
    bool mayHaveBegun = true;
    {
        async::TaskGroup watching([](const std::exception_ptr &) {}); // only the session's end stops it early
        watching.spawn(watchForRequests(job, process));
        try {
            outcome = co_await process.outcome;
            mayHaveBegun = outcome->began;
        } catch (const NoRunner &error) {
            trouble = QString::fromUtf8(error.what());
            mayHaveBegun = false;
        } catch (const RunnerDied &error) { // the job has died with it, and is another attempt's now
            trouble = QString::fromUtf8(error.what());
        }
    }
    Attempt attempt = m_underWay.extract(process.token).mapped();
    const bool slotIsFree = !passSlotOn(attempt, process.token, outcome.has_value());
    if (outcome && outcome->how == How::Withdrawn) { // the one before it has the slot
        m_events.recalled(std::move(job));
        co_return;
    }
    if (!outcome)
        noteTrouble(trouble, !mayHaveBegun);
    else if (isRefusal(*outcome))
        noteTrouble(outcome->reason, outcome->lackedResources());
    else if (mayHaveBegun)
        noteBeginning(attempt);
    attempt.begun = attempt.begun && mayHaveBegun;
    co_await conclude(job, attempt, outcome, process.token);
    if (slotIsFree)
        m_capacity.giveBack(job.spec.needs);
    m_events.ended();
}

// A runner that hangs, in a path on a dead file server for example, begins nothing, and kills nothing but by the lease.
async::Timer Attempts::whenSilent(const Running &process)
{
    if (!m_underWay.at(process.token).begun)
        return {}; // it waits for the one before
    return m_zk.loop().after(RunnerPatience, [this, started = process.started] {
        if (!started.ready())
            noteTrouble(
                QStringLiteral("its job runner has not answered for %1 s: a directory, a file or the program of "
                               "one of its jobs may be on a file server that hangs")
                    .arg(std::chrono::seconds(RunnerPatience).count()),
                true);
    });
}

// Tells how it has ended, or gives the job back.
async::Task<void> Attempts::conclude(ClaimedJob job, Attempt attempt, std::optional<Outcome> outcome, Token token)
{
    const bool killed = outcome && outcome->how == How::Killed;
    if (killed && attempt.lostClaim)
        co_return; // there is nothing to give back
    const bool isEnd =
        outcome && !isRefusal(*outcome) && outcome->how != How::LeaseExpired && !(killed && m_abandoned.isSet());
    if (isEnd && attempt.requeue && killed) {
        m_reporter.requeue(job);
    } else if (isEnd) {
        const bool told = co_await report(job, *outcome, token);
        if (!told)
            m_reporter.giveBack(job);
        m_times.noteEnd(outcome->elapsed, m_zk.loop().now());
    } else {
        giveBack(job, attempt, outcome);
    }
}

// What was not ended by itself.
void Attempts::giveBack(const ClaimedJob &job, const Attempt &attempt, const std::optional<Outcome> &outcome)
{
    const bool endedHere = outcome || m_zk.state() != zk::Coordinator::State::Connected; // or the runner, for the lease
    const bool forgiven = m_planned || job.spec.returned < MostForgiven;
    if (!attempt.begun)
        m_reporter.giveBackUnbegun(job);
    else if (endedHere && forgiven)
        m_reporter.requeue(job);
    else
        m_reporter.giveBack(job);
}

// Whether this attempt has no slot any more, because another has it, or never had one. The next in its lane has begun
// if this one has `ended`; otherwise all are lost.
bool Attempts::passSlotOn(const Attempt &attempt, Token token, bool ended)
{
    if (attempt.lane == 0)
        return false;
    const auto lane = m_lanes.find(attempt.lane);
    std::deque<Token> &tokens = lane->second;
    const bool wasFirst = tokens.front() == token;
    std::erase(tokens, token);
    if (tokens.empty()) {
        m_lanes.erase(lane);
        return false;
    }
    if (wasFirst && ended) {
        Attempt &next = m_underWay.at(tokens.front());
        next.begun = true;
        next.since = m_zk.loop().now();
    }
    return true;
}

// False: that ended before what the job has written was in the file that its submitter named.
async::Task<bool> Attempts::report(ClaimedJob job, Outcome outcome, Token token)
{
    jobs::FinalRecord record = recordOf(job, m_options.id, outcome);
    // Asked of the command's own end: one that has succeeded does not run again because of what comes after it.
    const bool again =
        record.state() == jobs::JobState::Failed && job.spec.retry.covers(record.exitCode(), job.spec.failed);
    if (!job.spec.appendTo.isEmpty()) {
        const bool settled = co_await append(job, outcome, record);
        if (!settled)
            co_return false;
    }
    if (again)
        retryLater(job, record, token);
    else
        m_reporter.finish(job, record, [this, token] { m_runner.settle(token); });
    co_return true;
}

// A file server or another writer may hang for ever: abandon() ends that, for the same may be appended once more. False:
// it has, or the session has ended, and the next life or another attempt will find what was appended.
async::Task<bool> Attempts::append(ClaimedJob job, Outcome outcome, jobs::FinalRecord &record)
{
    bool settled = false;
    std::vector<async::Task<void>> parts;
    parts.push_back(appendNow(job, outcome, record, settled));
    parts.push_back(async::untilSet(m_abandoned));
    try {
        co_await async::firstOf(m_zk.loop(), std::move(parts));
    } catch (const zk::SessionLost &) {
        // Nobody knows.
    }
    co_return settled;
}

async::Task<void> Attempts::appendNow(ClaimedJob job, Outcome outcome, jobs::FinalRecord &record, bool &settled)
{
    co_await m_appender.append(job, outcome, outputFile(m_options.spool, job.id, job.attempt), record);
    settled = true;
}

void Attempts::retryLater(const ClaimedJob &job, jobs::FinalRecord record, Token token)
{
    constexpr double Range = 4294967296.0; // of a uuid's first part
    async::Loop &loop = m_zk.loop();
    const std::chrono::milliseconds delay = job.spec.retry.delay(job.spec.failed, loop.makeUuid().data1 / Range);
    const int exitCode = record.exitCode();
    record.outcome = jobs::FinalRecord::Outcome::Cancelled;
    record.reason = QStringLiteral("cancelled when it was to be tried again");
    m_reporter.retry(job, m_clock.now() + delay, exitCode, record, [this, token] { m_runner.settle(token); });
}

async::Task<void> Attempts::reportKept()
{
    const std::vector<KeptRun> results = m_runner.kept();
    for (const KeptRun &kept : results) {
        std::optional<ClaimedJob> job = co_await stillCurrent(kept.note);
        if (!job) {
            m_runner.settle(kept.token);
            continue;
        }
        ++m_keptReported;
        m_runs.spawn(reportAgain(std::move(*job), kept));
    }
    if (m_runs.empty())
        co_return;
    try {
        co_await async::orTimeout(m_zk.loop(), ended(), KeptPatience);
    } catch (const async::Timeout &) {
        // They go on beside the pulling.
    }
}

async::Task<void> Attempts::reportAgain(ClaimedJob job, KeptRun kept)
{
    const bool told = co_await report(std::move(job), kept.outcome, kept.token);
    Q_UNUSED(told) // if not, it is kept for another life
}

// The claim, or the beginning, was the last that happened to the job. A cancel came after it, and so did whatever ended
// this attempt before.
async::Task<std::optional<ClaimedJob>> Attempts::stillCurrent(QByteArray note)
{
    std::optional<ClaimedJob> job = jobOfNote(note);
    if (!job)
        co_return std::nullopt;
    const zk::Path path = m_layout.job(job->id.queue, job->entry);
    const auto read = [&] { return m_zk.get(path); };
    const zk::Answer<zk::Node> node = co_await recipes::persist(m_zk, read);
    if (!node.ok() || node->stat.version != job->version() || node->stat.mzxid != job->changed())
        co_return std::nullopt;
    try {
        job->stored = node->data;
        job->spec = jobs::JobSpec::decode(node->data, job->id.queue, job->entry.priority);
        job->unbegun = job->attempt - job->spec.begun(job->version());
    } catch (const jobs::Malformed &) {
        co_return std::nullopt;
    }
    co_return job;
}

async::Task<void> Attempts::watchForRequests(ClaimedJob job, Running process)
{
    const std::optional<Started> started = co_await process.started;
    if (!started)
        co_return;
    const Token token = process.token;
    noteBeginning(m_underWay.at(token));
    co_await async::sleepFor(m_zk.loop(), RequestWatchDelay);
    if (job.ahead)
        co_await sayThatItRuns(m_zk, m_layout, job);
    const auto onClaim = [this, token](const zk::Node *node) { this->onClaim(node, token); };
    co_await recipes::followData(m_zk, m_layout.claim(job.id), onClaim);
}

// While our session lives only people delete its claims. Then anybody may run the job: not beside this attempt.
void Attempts::onClaim(const zk::Node *claim, Token token)
{
    Attempt &attempt = m_underWay.at(token);
    if (!claim || claim->stat.czxid != attempt.job.token) {
        attempt.lostClaim = true;
        m_runner.kill(token, 0s);
        return;
    }
    try {
        obey(jobs::Claim::decode(claim->data), token);
    } catch (const jobs::Malformed &) {
        // Not a request of ours.
    }
}

// What is seen again was obeyed before.
void Attempts::obey(const jobs::Claim &claim, Token token)
{
    Attempt &attempt = m_underWay.at(token);
    const auto kept = static_cast<int>(claim.latestSignals.size());
    const int unseen = std::min(claim.signalCount - attempt.signalsPassedOn, kept);
    for (int i = kept - unseen; i < kept; ++i)
        m_runner.signal(token, claim.latestSignals[static_cast<std::size_t>(i)].number);
    attempt.signalsPassedOn = claim.signalCount;
    attempt.requeue = claim.requeue && !claim.cancelled;
    if ((claim.cancelled || claim.requeue) && !std::exchange(attempt.killed, true))
        m_runner.kill(token, attempt.job.spec.killGrace);
}

// Those behind it cannot be run here, either, for a moment. Others are told if it is for want of what a process needs.
void Attempts::noteTrouble(const QString &reason, bool isOfMachine)
{
    m_troubledAt = m_zk.loop().now();
    const std::optional<std::chrono::seconds> pause = m_respite.begin();
    if (pause)
        qCWarning(lcAttempts, "this machine cannot run jobs now: %ls; others may, and it tries again in %lld s",
                  qUtf16Printable(reason), static_cast<long long>(pause->count()));
    if (isOfMachine)
        m_events.troubled(reason);
}

// What has begun before the trouble says nothing.
void Attempts::noteBeginning(const Attempt &attempt)
{
    if (attempt.since <= m_troubledAt)
        return;
    m_respite.recovered();
    m_events.troubled({});
}

std::vector<RunTimes::Running> Attempts::runningNow() const
{
    std::vector<RunTimes::Running> running;
    for (const auto &[token, attempt] : m_underWay) {
        if (attempt.begun)
            running.push_back({m_zk.loop().now() - attempt.since, attempt.job.spec.needs.slots});
    }
    return running;
}

std::optional<async::Duration> Attempts::untilFree(int slotCount) const
{
    return RunTimes::ageOfLast(runningNow(), slotCount);
}

std::optional<async::Duration> Attempts::expected() const
{
    return m_times.expected(runningNow(), m_zk.loop().now());
}

} // namespace drover::workers
