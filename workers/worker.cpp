#include "workers/worker.h"

#include "async/first_of.h"
#include "jobs/cluster.h"
#include "recipes/follow.h"
#include "recipes/group.h"
#include "workers/attempts.h"
#include "workers/claimer.h"
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
constexpr auto PrefetchHorizon = 20ms; // claim ahead what will be begun within this: a few claim flights
constexpr double MaxPrefetch = 64;
constexpr auto Patience = 100ms; // what was claimed ahead and has not begun by then is better off elsewhere

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

    QueueFeed *feedWithWork();
    std::size_t wanted() const;
    void begin();
    void giveBackUnbegun();
    void onAttemptEnded();
    std::size_t freeSlots() const { return static_cast<std::size_t>(options.slotCount - attempts.underWay()); }

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
    std::deque<ClaimedJob> claimed; // not begun
    async::Timer patience;
    async::Event changed; // slots, backlog or stopping
    Attempts attempts{zk, layout, options, runner, reporter, [this] { onAttemptEnded(); }}; // last: destroyed first
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
    co_await attempts.ended();
    co_await reporter.flushed();
}

async::Task<void> Worker::Private::killAll()
{
    stopping = true;
    claimed.clear();
    attempts.abandon();
    co_await attempts.ended();
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
            if (freeSlots() == 0) {
                for (const auto &feed : feeds)
                    feed->leaveLine();
            }
            co_await changed.wait();
            continue;
        }
        QueueFeed *feed = feedWithWork();
        if (!feed && freeSlots() == 0) { // claims ahead come from what is listed: the line is for the idle
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
        Claims won = co_await claimer.claim(feed->queue(), std::move(entries));
        std::move(won.jobs.begin(), won.jobs.end(), std::back_inserter(claimed));
        feed->exclude(won.hopeless);
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
    if (const std::optional<async::Duration> expected = attempts.expected()) {
        const auto shortest = std::max<async::Duration>(*expected, 100us);
        ahead = std::min(MaxPrefetch, std::chrono::duration<double>(PrefetchHorizon) * options.slotCount / shortest);
    }
    const auto aim = freeSlots() + static_cast<std::size_t>(ahead);
    if (freeSlots() == 0 && claimed.size() * 2 > static_cast<std::size_t>(ahead))
        return 0; // enough for now: claim many at a time rather than one by one
    return std::min(aim - std::min(aim, claimed.size()), MaxClaims);
}

void Worker::Private::begin()
{
    while (freeSlots() > 0 && !claimed.empty() && !stopping) {
        ClaimedJob job = std::move(claimed.front());
        claimed.pop_front();
        attempts.begin(std::move(job));
    }
    patience.cancel();
    if (!claimed.empty())
        patience = zk.loop().after(Patience, [this] { giveBackUnbegun(); });
}

void Worker::Private::onAttemptEnded()
{
    begin();
    changed.set();
}

void Worker::Private::giveBackUnbegun()
{
    for (const ClaimedJob &job : claimed)
        reporter.giveBackUnbegun(job,
                                 jobs::FinalRecord::withoutRun(job.id, job.spec, jobs::FinalRecord::Outcome::Cancelled,
                                                               QStringLiteral("cancelled before it ran"), job.attempt));
    claimed.clear();
    changed.set();
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

Worker::~Worker() = default;

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
    d->attempts.abandon();
}

bool Worker::isMaster() const
{
    return d->master.leads();
}

int Worker::running() const
{
    return d->attempts.running();
}

qint64 Worker::rejectedReports() const
{
    return d->reporter.rejected();
}

} // namespace drover::workers
