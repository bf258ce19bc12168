#include "workers/worker.h"

#include "async/first_of.h"
#include "async/offload.h"
#include "jobs/cluster.h"
#include "jobs/cluster_key.h"
#include "output/spool_files.h"
#include "recipes/follow.h"
#include "recipes/group.h"
#include "workers/master.h"
#include "workers/output_server.h"
#include "workers/puller.h"
#include "workers/reporter.h"

#include <QCoreApplication>
#include <QLoggingCategory>
#include <QSysInfo>

#include <algorithm>
#include <optional>

namespace drover::workers {

using zk::Coordinator;

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(lcWorker, "drover.workers.worker")

namespace {

constexpr auto MomentOfJoining = 1s; // if it takes longer, somebody is in the way
constexpr auto SweepInterval = 10min;

} // namespace

class Worker::Private
{
public:
    Private(Coordinator &coordinator, jobs::Layout clusterLayout, WorkerOptions workerOptions, Runner &processRunner,
            Events workerEvents);

    async::Task<void> run();
    async::Task<void> enter(std::optional<recipes::Membership> &membership);
    async::Task<void> giveBackFirst();
    async::Task<void> join(std::optional<recipes::Membership> &membership);
    async::Task<void> tellWhoHasOurId();
    async::Task<void> untilStopped();
    async::Task<void> work(recipes::Membership &membership);
    async::Task<void> serveOutput();
    async::Task<void> serve();
    async::Task<void> keepLease();
    async::Task<void> followMembers();
    async::Task<void> followCordon();
    async::Task<void> followBackpressure();
    async::Task<void> describe(recipes::Membership &membership);
    async::Task<void> keepSpoolSmall();

    jobs::WorkerInfo makeInfo() const;
    void showTrouble(const QString &reason);

    Coordinator &zk;
    jobs::Layout layout;
    WorkerOptions options;
    Runner &runner;
    Events events;
    QByteArray id = options.id.toLatin1();

    jobs::WorkerInfo info;
    async::Event infoChanged;
    async::Event stopping;
    Reporter reporter{zk, layout};
    Master master{zk, layout, id, options.history};
    Puller puller; // last: destroyed first
};

Worker::Private::Private(Coordinator &coordinator, jobs::Layout clusterLayout, WorkerOptions workerOptions,
                         Runner &processRunner, Events workerEvents)
    : zk(coordinator), layout(std::move(clusterLayout)), options(std::move(workerOptions)), runner(processRunner),
      events(std::move(workerEvents)), info(makeInfo()),
      puller(zk, layout, options, runner, reporter,
             {[this](zk::Zxid cordon) {
                  info.cordon = cordon;
                  infoChanged.set();
              },
              [this](const QString &reason) { showTrouble(reason); }})
{
}

void Worker::Private::showTrouble(const QString &reason)
{
    if (info.trouble == reason)
        return;
    info.trouble = reason;
    infoChanged.set();
}

jobs::WorkerInfo Worker::Private::makeInfo() const
{
    jobs::WorkerInfo self;
    self.id = options.id;
    self.host = QSysInfo::machineHostName();
    self.pid = QCoreApplication::applicationPid();
    self.slotCount = options.slotCount;
    self.memory = options.memory;
    self.labels = options.labels;
    for (const QByteArray &queue : options.queues)
        self.queues.append(QString::fromLatin1(queue));
    self.spool = options.spool;
    self.spoolPlace = output::placeOf(options.spool);
    if (options.history)
        self.history = options.history->location().display();
    self.startedAt = zk.loop().wallClock();
    self.version = QStringLiteral(DROVER_VERSION);
    return self;
}

async::Task<void> Worker::Private::run()
{
    std::optional<recipes::Membership> membership;
    std::vector<async::Task<void>> parts;
    parts.push_back(enter(membership));
    parts.push_back(untilStopped());
    co_await async::firstOf(zk.loop(), std::move(parts));
    if (!membership)
        co_return;
    if (events.joined)
        events.joined();
    co_await work(*membership);
}

async::Task<void> Worker::Private::untilStopped()
{
    co_await stopping.wait();
}

async::Task<void> Worker::Private::enter(std::optional<recipes::Membership> &membership)
{
    co_await zk.connected();
    co_await jobs::ensureCluster(zk, layout, options.queues);
    co_await giveBackFirst();
    co_await serveOutput();
    std::vector<async::Task<void>> parts;
    parts.push_back(join(membership));
    parts.push_back(tellWhoHasOurId());
    co_await async::firstOf(zk.loop(), std::move(parts));
}

// Before we join: that waits for the end of our last session, and then the jobs are anybody's.
async::Task<void> Worker::Private::giveBackFirst()
{
    std::vector<async::Task<void>> parts;
    parts.push_back(reporter.run());
    parts.push_back(reporter.flushed());
    co_await async::firstOf(zk.loop(), std::move(parts));
}

async::Task<void> Worker::Private::join(std::optional<recipes::Membership> &membership)
{
    recipes::Group group(zk, layout.members());
    recipes::Membership joined = co_await group.join(id, info.encode());
    membership.emplace(std::move(joined));
}

// Of whoever still has it after a moment: another worker, or our own last life until its session has ended.
async::Task<void> Worker::Private::tellWhoHasOurId()
{
    co_await async::sleepFor(zk.loop(), MomentOfJoining);
    zk::Zxid told = 0;
    const auto onChange = [this, &told](const zk::Node *member) {
        const bool isOther = member && member->stat.ephemeralOwner != zk.sessionId();
        if (!isOther || std::exchange(told, member->stat.czxid) == member->stat.czxid)
            return;
        jobs::WorkerInfo other;
        try {
            other = jobs::WorkerInfo::decode(member->data);
        } catch (const jobs::Malformed &) { // no worker has made it
        }
        const bool isSelf = other.host == info.host && other.pid == info.pid;
        if (isSelf && events.lastSessionLives)
            events.lastSessionLives();
        else if (!isSelf && events.idIsTaken)
            events.idIsTaken(other);
    };
    co_await recipes::followData(zk, layout.members() / id, onChange);
}

async::Task<void> Worker::Private::work(recipes::Membership &membership)
{
    std::exception_ptr error;
    try {
        std::vector<async::Task<void>> parts;
        parts.push_back(serve());
        parts.push_back(keepLease());
        parts.push_back(followMembers());
        parts.push_back(followCordon());
        parts.push_back(followBackpressure());
        parts.push_back(puller.followQueues());
        parts.push_back(describe(membership));
        parts.push_back(reporter.run());
        parts.push_back(master.run());
        if (!options.spool.isEmpty())
            parts.push_back(keepSpoolSmall());
        parts.push_back(zk.lost());
        co_await async::firstOf(zk.loop(), std::move(parts));
        if (zk.state() == Coordinator::State::Lost)
            throw zk::SessionLost(QStringLiteral("the session of worker %1 has ended").arg(options.id));
    } catch (...) {
        error = std::current_exception();
    }
    co_await puller.killAll();
    if (error)
        std::rethrow_exception(error);
}

// A key that cannot be read is no reason not to work: the output is then read on this machine alone.
async::Task<void> Worker::Private::serveOutput()
{
    if (!options.outputServer)
        co_return;
    const std::optional<QByteArray> key = co_await jobs::clusterKey(zk, layout);
    if (!key) {
        qCWarning(lcWorker,
                  "%s holds no key: other machines do not see what jobs write here; delete it and start the workers "
                  "again",
                  layout.key().c_str());
        co_return;
    }
    options.outputServer->setKey(layout.cluster(), *key);
    info.endpoint = options.outputEndpoint;
}

// Until told to stop: work. Then: what is running is finished and reported.
async::Task<void> Worker::Private::serve()
{
    co_await puller.reportKept(); // first: what has ended need not run again
    co_await reporter.flushed();
    co_await puller.run();
    co_await reporter.flushed();
}

// The runner kills the jobs when the session may be over, even if this process is stopped or hangs by then. A tenth of
// the time-out is kept back for the killing. Of a runner that is stopped itself half of that is left to kill it.
async::Task<void> Worker::Private::keepLease()
{
    const async::Duration tenth = zk.sessionTimeout() / 10;
    for (;;) {
        const async::TimePoint until = zk.aliveUntil() - tenth;
        runner.setLease(until);
        const async::Duration left = until + tenth / 2 - zk.loop().now();
        if (left <= 0s && puller.running() > 0)
            runner.killRunner();
        const async::Duration pause = left > 0s ? std::min(left, tenth) : tenth;
        co_await async::sleepFor(zk.loop(), pause);
    }
}

async::Task<void> Worker::Private::followMembers()
{
    const auto onChange = [this](const zk::Children &members) { puller.setMembers(members.names); };
    co_await recipes::followChildren(zk, layout.members(), onChange);
}

async::Task<void> Worker::Private::followCordon()
{
    const auto onChange = [this](const zk::Node *cordon) { puller.setCordon(cordon ? cordon->stat.czxid : 0); };
    co_await recipes::followData(zk, layout.cordon(id), onChange);
}

async::Task<void> Worker::Private::followBackpressure()
{
    const auto onChange = [this](const zk::Node *node) { puller.setBackpressure(node != nullptr); };
    co_await recipes::followData(zk, layout.backpressure(), onChange);
}

// Shows others how we are.
async::Task<void> Worker::Private::describe(recipes::Membership &membership)
{
    QByteArray shown = info.encode();
    for (;;) {
        co_await infoChanged.wait();
        infoChanged.reset();
        const QByteArray now = info.encode();
        if (now != shown)
            co_await membership.setData(now);
        shown = now;
    }
}

async::Task<void> Worker::Private::keepSpoolSmall()
{
    const std::function<Swept()> sweep = [spool = options.spool, limits = options.spoolLimits] {
        return sweepSpool(spool, limits);
    };
    for (;;) {
        const Swept swept = co_await async::offload(zk.loop(), sweep);
        if (swept.files > 0)
            qCInfo(lcWorker, "removed %lld files of ended jobs from the spool, %lld bytes",
                   static_cast<long long>(swept.files), static_cast<long long>(swept.bytes));
        co_await async::sleepFor(zk.loop(), SweepInterval);
    }
}

Worker::Worker(Coordinator &zk, jobs::Layout layout, WorkerOptions options, Runner &runner, Events events)
    : d(std::make_unique<Private>(zk, std::move(layout), std::move(options), runner, std::move(events)))
{
}

Worker::~Worker() = default;

void Worker::giveBackFirst(std::vector<Report> reports)
{
    d->reporter.add(std::move(reports));
}

std::vector<Report> Worker::unanswered() const
{
    return d->reporter.unanswered();
}

async::Task<void> Worker::run()
{
    return d->run();
}

void Worker::stop()
{
    d->puller.stop();
    d->stopping.set();
}

void Worker::abandonJobs()
{
    d->puller.abandon(Attempts::Grace::OfJob);
    d->stopping.set();
}

void Worker::killJobs()
{
    d->puller.abandon(Attempts::Grace::None);
    d->stopping.set();
}

int Worker::running() const
{
    return d->puller.running();
}

qint64 Worker::keptReported() const
{
    return d->puller.keptReported();
}

qint64 Worker::rejectedReports() const
{
    return d->reporter.rejected();
}

} // namespace drover::workers
