#include "workers/worker.h"

#include "async/first_of.h"
#include "jobs/cluster.h"
#include "recipes/follow.h"
#include "recipes/group.h"
#include "workers/claimer.h"
#include "workers/execution.h"
#include "workers/master.h"
#include "workers/queue_feed.h"
#include "workers/reporter.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QSysInfo>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using zk::Coordinator;

namespace {

constexpr std::size_t MaxClaims = 16; // in one transaction
constexpr auto CancelWatchDelay = 50ms; // shorter jobs are over before a watch on their claim would pay
constexpr auto PrefetchHorizon = 20ms; // claim ahead what will be begun within this: a few claim flights
constexpr double MaxPrefetch = 64;
constexpr auto RunnerPause = 1s; // before the next job, when the runner has died
constexpr auto Patience = 100ms; // what was claimed ahead and has not begun by then is better off elsewhere

jobs::FinalRecord cancelledRecord(const ClaimedJob &job)
{
    jobs::FinalRecord record = jobs::FinalRecord::of(job.id, job.spec);
    record.outcome = jobs::FinalRecord::Outcome::Cancelled;
    record.attempt = job.attempt;
    record.reason = QStringLiteral("cancelled before it ran");
    record.finishedAt = std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch());
    return record;
}

} // namespace

class Worker::Private
{
public:
    Private(Coordinator &coordinator, jobs::Layout clusterLayout, WorkerOptions workerOptions, Runner &processRunner);

    async::Task<void> run();
    async::Task<void> pull();
    async::Task<void> searchAll();
    async::Task<void> untilChanged();
    async::Task<void> keepLease();
    async::Task<void> followMembers();
    async::Task<void> serve();
    async::Task<void> killAll();
    async::Task<void> runJob(ClaimedJob job);
    async::Task<void> watchForCancel(ClaimedJob job, Token token);

    QueueFeed *feedWithWork();
    std::size_t wanted() const;
    void begin();
    void giveBackUnbegun();
    double expectedMs() const;
    void noteDuration(async::Duration elapsed);

    Coordinator &zk;
    jobs::Layout layout;
    WorkerOptions options;
    Runner &runner;
    QByteArray id = options.id.toLatin1();

    std::vector<std::unique_ptr<QueueFeed>> feeds;
    Claimer claimer{zk, layout, options.id};
    Reporter reporter{zk, layout};
    Master master{zk, layout, id, options.history};

    bool stopping = false;
    bool abandoning = false; // what is killed now is given back
    int freeSlots = options.slotCount;
    std::deque<ClaimedJob> claimed; // not begun
    async::Timer patience;
    struct Begun {
        ClaimedJob job;
        async::TimePoint since;
    };
    std::map<Token, Begun> begun;
    double averageMs = -1; // of the jobs' durations; unknown at first
    async::Event changed; // slots, backlog or stopping
    async::TaskGroup jobRuns; // last: destroyed first
};

Worker::Private::Private(Coordinator &coordinator, jobs::Layout clusterLayout, WorkerOptions workerOptions,
                         Runner &processRunner)
    : zk(coordinator), layout(std::move(clusterLayout)), options(std::move(workerOptions)), runner(processRunner)
{
    for (const QByteArray &queue : options.queues)
        feeds.push_back(std::make_unique<QueueFeed>(zk, layout, queue, id));
}

async::Task<void> Worker::Private::run()
{
    co_await zk.connected();
    co_await jobs::ensureCluster(zk, layout, options.queues);
    jobs::WorkerInfo info;
    info.id = options.id;
    info.host = QSysInfo::machineHostName();
    info.pid = QCoreApplication::applicationPid();
    info.slotCount = options.slotCount;
    for (const QByteArray &queue : options.queues)
        info.queues.append(QString::fromLatin1(queue));
    info.spool = options.spool;
    if (options.history)
        info.history = options.history->location().display();
    info.startedAt = std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch());
    info.version = QStringLiteral(DROVER_VERSION);
    recipes::Group group(zk, layout.members());
    const recipes::Membership membership = co_await group.join(id, info.encode());

    std::exception_ptr error;
    try {
        std::vector<async::Task<void>> parts;
        parts.push_back(serve());
        parts.push_back(keepLease());
        parts.push_back(followMembers());
        parts.push_back(reporter.run());
        parts.push_back(master.run());
        parts.push_back(zk.lost());
        co_await async::firstOf(zk.loop(), std::move(parts));
        if (zk.state() == Coordinator::State::Lost)
            throw zk::SessionLost(QStringLiteral("the session of worker %1 has ended").arg(options.id));
    } catch (...) {
        error = std::current_exception();
    }
    co_await killAll();
    if (error)
        std::rethrow_exception(error);
}

// Until told to stop: work. Then: what is running is finished and reported.
async::Task<void> Worker::Private::serve()
{
    co_await pull();
    giveBackUnbegun();
    for (const auto &feed : feeds)
        feed->leaveLine();
    co_await jobRuns.drained();
    co_await reporter.flushed();
}

async::Task<void> Worker::Private::killAll()
{
    stopping = true;
    abandoning = true;
    claimed.clear();
    for (const auto &[token, job] : begun)
        runner.kill(token, 0s);
    co_await jobRuns.drained();
}

async::Task<void> Worker::Private::pull()
{
    while (!stopping) {
        changed.reset();
        if (zk.state() != Coordinator::State::Connected) {
            co_await zk.connected();
            continue;
        }
        const std::size_t count = wanted();
        if (count == 0) {
            if (freeSlots == 0) {
                for (const auto &feed : feeds)
                    feed->leaveLine();
            }
            co_await changed.wait();
            continue;
        }
        QueueFeed *feed = feedWithWork();
        if (!feed && freeSlots == 0) { // claims ahead come from what is listed: the line is for the idle
            for (const auto &full : feeds)
                full->leaveLine();
            co_await changed.wait();
            continue;
        }
        if (!feed) {
            co_await searchAll();
            continue;
        }
        std::vector<jobs::QueueEntry> entries = feed->take(count);
        std::vector<ClaimedJob> won = co_await claimer.claim(feed->queue(), std::move(entries));
        std::move(won.begin(), won.end(), std::back_inserter(claimed));
        std::rotate(feeds.begin(), feeds.begin() + 1, feeds.end()); // no queue starves another
        begin();
    }
}

QueueFeed *Worker::Private::feedWithWork()
{
    for (const auto &feed : feeds) {
        if (!feed->dry())
            return feed.get();
    }
    return nullptr;
}

async::Task<void> Worker::Private::searchAll()
{
    std::vector<async::Task<void>> searches;
    for (const auto &feed : feeds)
        searches.push_back(feed->search());
    searches.push_back(untilChanged());
    co_await async::firstOf(zk.loop(), std::move(searches));
}

async::Task<void> Worker::Private::untilChanged()
{
    co_await changed.wait();
}

// How many jobs to claim now: for the free slots, and ahead of them as many short ones as will be begun in a moment.
std::size_t Worker::Private::wanted() const
{
    double ahead = 0;
    if (averageMs >= 0) {
        const double horizon = std::chrono::duration<double, std::milli>(PrefetchHorizon).count();
        ahead = std::min(MaxPrefetch, horizon * options.slotCount / std::max(expectedMs(), 0.1));
    }
    const auto aim = static_cast<std::size_t>(freeSlots) + static_cast<std::size_t>(ahead);
    if (freeSlots == 0 && claimed.size() * 2 > static_cast<std::size_t>(ahead))
        return 0; // enough for now: claim many at a time rather than one by one
    return std::min(aim - std::min(aim, claimed.size()), MaxClaims);
}

void Worker::Private::begin()
{
    while (freeSlots > 0 && !claimed.empty() && !stopping) {
        ClaimedJob job = std::move(claimed.front());
        claimed.pop_front();
        --freeSlots;
        jobRuns.spawn(runJob(std::move(job)));
    }
    patience.cancel();
    if (!claimed.empty())
        patience = zk.loop().after(Patience, [this] { giveBackUnbegun(); });
}

void Worker::Private::giveBackUnbegun()
{
    for (const ClaimedJob &job : claimed)
        reporter.giveBackUnbegun(job, cancelledRecord(job));
    claimed.clear();
    changed.set();
}

// How long a job takes: as those before did, or as long as the oldest of those that run has taken already.
double Worker::Private::expectedMs() const
{
    async::Duration oldest{};
    for (const auto &[token, job] : begun)
        oldest = std::max(oldest, zk.loop().now() - job.since);
    return std::max(averageMs, std::chrono::duration<double, std::milli>(oldest).count());
}

async::Task<void> Worker::Private::runJob(ClaimedJob job)
{
    const Running process = runner.run(commandOf(job, options.spool, options.jobEnvironment));
    begun.emplace(process.token, Begun{job, zk.loop().now()});
    std::optional<Outcome> outcome;
    {
        async::TaskGroup watching([](const std::exception_ptr &) {}); // only the session's end stops it early
        watching.spawn(watchForCancel(job, process.token));
        try {
            outcome = co_await process.outcome;
        } catch (const RunnerDied &) {
            // The job has died with it, and is another attempt's now.
        }
    }
    begun.erase(process.token);
    const bool ended = outcome && outcome->how != How::LeaseExpired && !(outcome->how == How::Killed && abandoning);
    if (ended)
        reporter.finish(job, recordOf(job, options.id, *outcome));
    else
        reporter.giveBack(job);
    if (ended)
        noteDuration(outcome->elapsed);
    if (!outcome)
        co_await async::sleepFor(zk.loop(), RunnerPause);
    ++freeSlots;
    begin();
    changed.set();
}

void Worker::Private::noteDuration(async::Duration elapsed)
{
    constexpr double Weight = 0.2;
    const double ms = std::chrono::duration<double, std::milli>(elapsed).count();
    averageMs = averageMs < 0 ? ms : averageMs + Weight * (ms - averageMs);
}

async::Task<void> Worker::Private::watchForCancel(ClaimedJob job, Token token)
{
    co_await async::sleepFor(zk.loop(), CancelWatchDelay);
    const auto onClaim = [this, token, grace = job.spec.killGrace](const zk::Node *node) {
        try {
            if (node && jobs::Claim::decode(node->data).cancelled)
                runner.kill(token, grace);
        } catch (const jobs::Malformed &) {
            // Not a request of ours.
        }
    };
    co_await recipes::followData(zk, layout.claim(job.id), onClaim);
}

// The runner kills the jobs when the session may be over, even if this process is stopped or hangs by then. A tenth of
// the time-out is kept back for the killing.
async::Task<void> Worker::Private::keepLease()
{
    const auto tenth = zk.sessionTimeout() / 10;
    for (;;) {
        runner.setLease(zk.aliveUntil() - tenth);
        co_await async::sleepFor(zk.loop(), tenth);
    }
}

async::Task<void> Worker::Private::followMembers()
{
    const auto onChange = [this](const zk::Children &members) {
        for (const auto &feed : feeds)
            feed->setMembers(members.names);
    };
    co_await recipes::followChildren(zk, layout.members(), onChange);
}

Worker::Worker(Coordinator &zk, jobs::Layout layout, WorkerOptions options, Runner &runner)
    : d(std::make_unique<Private>(zk, std::move(layout), std::move(options), runner))
{
}

Worker::~Worker()
{
    for (const auto &[token, job] : d->begun)
        d->runner.kill(token, 0s);
}

async::Task<void> Worker::run()
{
    return d->run();
}

void Worker::stop()
{
    d->stopping = true;
    d->changed.set();
}

void Worker::abandonJobs()
{
    stop();
    d->abandoning = true;
    for (const auto &[token, job] : d->begun)
        d->runner.kill(token, 0s);
}

bool Worker::isMaster() const
{
    return d->master.leads();
}

int Worker::running() const
{
    return static_cast<int>(d->begun.size());
}

qint64 Worker::rejectedReports() const
{
    return d->reporter.rejected();
}

} // namespace drover::workers
