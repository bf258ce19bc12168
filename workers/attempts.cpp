#include "workers/attempts.h"

#include "recipes/follow.h"
#include "recipes/persist.h"
#include "workers/execution.h"
#include "workers/reporter.h"

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;

namespace {

constexpr auto RequestWatchDelay = 50ms; // shorter jobs are over before a watch on their claim would pay
constexpr auto RunnerPause = 1s; // before the next job, when the runner has died
constexpr auto ShortJob = 10ms; // it is worth waiting for such a one
constexpr std::size_t MaxInLane = 3;

bool needsOneSlot(const jobs::Needs &needs)
{
    return needs.slots == 1 && needs.memory == 0;
}

} // namespace

Attempts::Attempts(zk::Coordinator &zk, jobs::Layout layout, const WorkerOptions &options, Runner &runner,
                   Reporter &reporter, Capacity &capacity, Events events)
    : m_zk(zk), m_layout(std::move(layout)), m_options(options), m_runner(runner), m_reporter(reporter),
      m_capacity(capacity), m_appender(zk, m_layout, options.id.toUtf8()), m_events(std::move(events))
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
    const quint32 lane = needsOneSlot(job.spec.needs) ? ++m_lastLane : 0;
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

void Attempts::abandon()
{
    m_abandoning = true;
    for (const auto &[token, attempt] : m_underWay)
        m_runner.kill(token, 0s);
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
    std::optional<Outcome> outcome;
    {
        async::TaskGroup watching([](const std::exception_ptr &) {}); // only the session's end stops it early
        watching.spawn(watchForRequests(job, process));
        try {
            outcome = co_await process.outcome;
        } catch (const RunnerDied &) {
            // The job has died with it, and is another attempt's now.
        }
    }
    const Attempt attempt = m_underWay.extract(process.token).mapped();
    const bool slotIsFree = !passSlotOn(attempt, process.token, outcome.has_value());
    if (outcome && outcome->how == How::Withdrawn) { // the one before it has the slot
        m_events.recalled(std::move(job));
        co_return;
    }
    const bool ended = outcome && outcome->how != How::LeaseExpired && !(outcome->how == How::Killed && m_abandoning);
    if (ended && attempt.requeue && outcome->how == How::Killed) {
        m_reporter.requeue(job);
    } else if (ended) {
        co_await report(job, *outcome, process.token);
        noteDuration(outcome->elapsed);
    } else if (attempt.begun) {
        m_reporter.giveBack(job);
    } else {
        m_reporter.giveBackUnbegun(job);
    }
    if (!outcome)
        co_await async::sleepFor(m_zk.loop(), RunnerPause);
    if (slotIsFree)
        m_capacity.giveBack(job.spec.needs);
    m_events.ended();
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

async::Task<void> Attempts::report(ClaimedJob job, Outcome outcome, Token token)
{
    jobs::FinalRecord record = recordOf(job, m_options.id, outcome);
    // Asked of the command's own end: one that has succeeded does not run again because of what comes after it.
    const bool again =
        record.state() == jobs::JobState::Failed && job.spec.retry.covers(record.exitCode(), job.spec.failed);
    try {
        co_await m_appender.append(job, outcome, outputFile(m_options.spool, job.id, job.attempt), record);
        if (again)
            retryLater(job, record, token);
        else
            m_reporter.finish(job, record, [this, token] { m_runner.settle(token); });
    } catch (const zk::SessionLost &) {
        // The next life reports it, or another attempt will find what was appended.
    }
}

void Attempts::retryLater(const ClaimedJob &job, jobs::FinalRecord record, Token token)
{
    constexpr double Range = 4294967296.0; // of a uuid's first part
    async::Loop &loop = m_zk.loop();
    const std::chrono::milliseconds delay = job.spec.retry.delay(job.spec.failed, loop.makeUuid().data1 / Range);
    const int exitCode = record.exitCode();
    record.outcome = jobs::FinalRecord::Outcome::Cancelled;
    record.reason = QStringLiteral("cancelled when it was to be tried again");
    m_reporter.retry(job, loop.wallClock() + delay, exitCode, record, [this, token] { m_runner.settle(token); });
}

async::Task<void> Attempts::reportKept()
{
    const std::vector<KeptRun> results = m_runner.kept();
    for (const KeptRun &kept : results) {
        const std::optional<ClaimedJob> job = co_await stillCurrent(kept.note);
        if (!job) {
            m_runner.settle(kept.token);
            continue;
        }
        ++m_keptReported;
        co_await report(*job, kept.outcome, kept.token);
    }
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
    co_await async::sleepFor(m_zk.loop(), RequestWatchDelay);
    const auto onClaim = [this, token](const zk::Node *node) {
        try {
            if (node)
                obey(jobs::Claim::decode(node->data), token);
        } catch (const jobs::Malformed &) {
            // Not a request of ours.
        }
    };
    co_await recipes::followData(m_zk, m_layout.claim(job.id), onClaim);
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

void Attempts::noteDuration(async::Duration elapsed)
{
    constexpr int Weight = 5;
    m_average = m_average ? *m_average + (elapsed - *m_average) / Weight : elapsed;
}

std::optional<async::Duration> Attempts::expected() const
{
    if (!m_average)
        return std::nullopt;
    async::Duration longest = *m_average;
    for (const auto &[token, attempt] : m_underWay) {
        if (attempt.begun)
            longest = std::max(longest, m_zk.loop().now() - attempt.since);
    }
    return longest;
}

} // namespace drover::workers
