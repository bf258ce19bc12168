#include "workers/worker.h"

#include "async/first_of.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/cluster/output_access.h"
#include "output/spool_files.h"
#include "recipes/blocks/follow.h"
#include "recipes/elections/group.h"
#include "workers/claims/reporter.h"
#include "workers/dispatch/dispatcher.h"
#include "workers/master/master.h"
#include "workers/output_server.h"
#include "workers/spool_health.h"
#include "workers/spool_keeper.h"

#include <QCoreApplication>
#include <QLoggingCategory>
#include <QSysInfo>

#include <algorithm>
#include <optional>

namespace drover::workers {

using zk::Client;

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(lcWorker, "drover.workers.worker")

namespace {

constexpr auto MomentOfJoining = 1s; // if it takes longer, another worker has the id
constexpr auto PacePerMember = 2ms; // between two listings of all: each member that joins or leaves is a reason for one

} // namespace

class Worker::Private final : private WorkerConditions
{
public:
    Private(jobs::Cluster handle, WorkerOptions workerOptions, Runner &processRunner, Events workerEvents);

    async::Task<void> run();
    async::Task<void> enter(std::optional<recipes::Membership> &membership);
    async::Task<void> reportLastLife();
    async::Task<void> join(std::optional<recipes::Membership> &membership);
    async::Task<void> tellWhoHasOurId();
    async::Task<void> work(recipes::Membership &membership);
    void serveOutput();
    async::Task<void> publishOutput();
    async::Task<void> serve();
    async::Task<void> keepLease();
    async::Task<void> followMembers();
    async::Task<void> followCordon();
    async::Task<void> followBackpressure();
    async::Task<void> describe(recipes::Membership &membership);
    async::Task<void> keepSpool();

    jobs::WorkerInfo makeInfo() const;
    void cordonObeyed(zk::Zxid cordon) override;
    void machineTroubled(const QString &reason) override;
    void jobsRefused(qint64 count) override;
    void processesUnbounded() override;
    void spoolFailed(const QString &reason) override { spoolHealth.fail(reason); }
    void outputLost() override;
    async::Task<QString> trySpool();
    void spoolChanged();
    void describeTrouble();

    jobs::Cluster cluster;
    WorkerOptions options;
    Runner &runner;
    Events events;
    QByteArray id = options.id.toLatin1();

    jobs::WorkerInfo info;
    jobs::OutputAccess access; // to the output that this life serves
    QString machineTrouble;
    std::optional<QString> spoolShortage; // nothing: not known yet
    ClaimStops stops;
    async::Event infoChanged;
    async::Event stopping;
    Reporter reporter{cluster};
    Master master{cluster, id, options.history};
    zk::ServerClock clock{cluster.zk.loop()}; // each claim measures it
    OutcomeReporter outcomes{cluster, options, runner, reporter, clock, *this};
    Dispatcher dispatcher{cluster, options, runner, reporter, outcomes, clock, *this};
    SpoolHealth spoolHealth; // last: destroyed first
};

Worker::Private::Private(jobs::Cluster handle, WorkerOptions workerOptions, Runner &processRunner, Events workerEvents)
    : cluster(std::move(handle)), options(std::move(workerOptions)), runner(processRunner),
      events(std::move(workerEvents)), info(makeInfo()),
      spoolHealth(
          cluster.zk.loop(), [this] { return trySpool(); }, [this](const QString &) { spoolChanged(); })
{
}

void Worker::Private::cordonObeyed(zk::Zxid cordon)
{
    info.cordon = cordon;
    infoChanged.set();
}

void Worker::Private::machineTroubled(const QString &reason)
{
    machineTrouble = reason;
    describeTrouble();
}

void Worker::Private::jobsRefused(qint64 count)
{
    info.refused += count;
    infoChanged.set();
}

void Worker::Private::processesUnbounded()
{
    info.unbounded = true;
    infoChanged.set();
}

void Worker::Private::outputLost()
{
    if (!options.spool.isEmpty())
        spoolHealth.suspect();
}

async::Task<QString> Worker::Private::trySpool()
{
    const QString sickness = co_await workers::trySpool(cluster.zk.loop(), options.spool);
    if (!sickness.isEmpty())
        co_return sickness;
    co_return co_await dispatcher.tryJournal();
}

void Worker::Private::spoolChanged()
{
    describeTrouble();
    const bool isSick = !spoolHealth.sickness().isEmpty();
    if (isSick || spoolShortage)
        stops.spool = isSick || !spoolShortage->isEmpty();
    dispatcher.setStops(stops);
}

void Worker::Private::describeTrouble()
{
    const QString ofSpool =
        spoolHealth.sickness().isEmpty() ? spoolShortage.value_or(QString()) : spoolHealth.sickness();
    const QString &trouble = ofSpool.isEmpty() ? machineTrouble : ofSpool;
    if (info.trouble == trouble)
        return;
    info.trouble = trouble;
    info.holdsBack = !ofSpool.isEmpty();
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
    self.startedAt = cluster.zk.loop().wallClock();
    self.version = QStringLiteral(DROVER_VERSION);
    self.asRoot = options.runsJobsAsRoot();
    self.renewal = cluster.credentials ? cluster.credentials->renewal : 0;
    return self;
}

async::Task<void> Worker::Private::run()
{
    std::optional<recipes::Membership> membership;
    co_await async::firstOf(cluster.zk.loop(), enter(membership), async::untilSet(stopping));
    if (!membership)
        co_return;
    co_await async::firstOf(cluster.zk.loop(), publishOutput(), async::untilSet(stopping));
    if (events.joined)
        events.joined();
    co_await work(*membership);
}

async::Task<void> Worker::Private::enter(std::optional<recipes::Membership> &membership)
{
    co_await cluster.zk.connected();
    co_await jobs::ensureCluster(cluster, options.queues);
    // Before join(), which waits for the end of the last session: after that any worker may claim the jobs.
    co_await async::firstOf(cluster.zk.loop(), reporter.run(), reportLastLife());
    serveOutput();
    co_await async::firstOf(cluster.zk.loop(), join(membership), tellWhoHasOurId());
}

async::Task<void> Worker::Private::reportLastLife()
{
    co_await outcomes.reportKeptAtOnce();
    co_await reporter.flushed();
}

async::Task<void> Worker::Private::join(std::optional<recipes::Membership> &membership)
{
    recipes::Group group(cluster.zk, cluster.layout.members());
    recipes::Membership joined = co_await group.join(id, info.encode());
    membership.emplace(std::move(joined));
}

// Reports the owner of our id, if there is one after a moment: another worker, or this worker's last session.
async::Task<void> Worker::Private::tellWhoHasOurId()
{
    co_await async::sleepFor(cluster.zk.loop(), MomentOfJoining);
    zk::Zxid told = 0;
    const auto onChange = [this, &told](const zk::Node *member) {
        const bool isOther = member && member->stat.ephemeralOwner != cluster.zk.sessionId();
        if (!isOther || std::exchange(told, member->stat.czxid) == member->stat.czxid)
            return;
        const auto read = jobs::tryDecode<jobs::WorkerInfo>(member->data);
        const jobs::WorkerInfo other = read.value_or(jobs::WorkerInfo()); // malformed: no worker has made it
        const bool isSelf = other.host == info.host && other.pid == info.pid;
        if (isSelf && events.previousSessionAlive)
            events.previousSessionAlive();
        else if (!isSelf && events.idIsTaken)
            events.idIsTaken(other);
    };
    co_await recipes::followData(cluster.zk, cluster.layout.members() / id, onChange);
}

async::Task<void> Worker::Private::work(recipes::Membership &membership)
{
    std::exception_ptr error;
    try {
        co_await async::firstOf(cluster.zk.loop(), serve(), keepLease(), followMembers(), followCordon(),
                                followBackpressure(), dispatcher.followQueues(), describe(membership), reporter.run(),
                                master.run(), keepSpool(), cluster.zk.lost());
        if (cluster.zk.state() == Client::State::Lost)
            throw zk::SessionLost(QStringLiteral("the session of worker %1 has ended").arg(options.id));
    } catch (...) {
        error = std::current_exception();
    }
    co_await dispatcher.killAll();
    if (error)
        std::rethrow_exception(error);
}

// A key of this life alone, before others can learn the address.
void Worker::Private::serveOutput()
{
    if (!options.outputServer)
        return;
    access = {.endpoint = options.outputEndpoint, .key = jobs::OutputAccess::newKey()};
    options.outputServer->setKey(id, access.key);
    info.endpoint = access.endpoint;
}

// A node that another client has made there is no reason not to work: the output is then read on this machine alone.
async::Task<void> Worker::Private::publishOutput()
{
    if (!options.outputServer)
        co_return;
    const bool published = co_await jobs::publishOutputAccess(cluster, id, access);
    if (!published)
        qCWarning(lcWorker,
                  "%s is another client's: other machines cannot read the output of jobs here; delete it and start "
                  "this worker again",
                  cluster.layout.output(id).c_str());
}

// Until told to stop: work. Then: what is running is finished and reported.
async::Task<void> Worker::Private::serve()
{
    co_await outcomes.reportKept(); // what reportLastLife() has left: it need not run again
    co_await reporter.flushed();
    co_await dispatcher.run();
    co_await reporter.flushed();
}

// The runner kills the jobs when the session may be over, even if this process is stopped or hangs by then. A tenth of
// the time-out is kept back for the killing. Of a runner that is stopped itself half of that is left to kill it.
async::Task<void> Worker::Private::keepLease()
{
    const async::Duration tenth = cluster.zk.sessionTimeout() / 10;
    for (;;) {
        const async::TimePoint until = cluster.zk.aliveUntil() - tenth;
        runner.setLease(until);
        const async::Duration left = until + tenth / 2 - cluster.zk.loop().now();
        if (left <= 0s && dispatcher.running() > 0)
            runner.killRunner();
        const async::Duration pause = left > 0s ? std::min(left, tenth) : tenth;
        co_await async::sleepFor(cluster.zk.loop(), pause);
    }
}

async::Task<void> Worker::Private::followMembers()
{
    const recipes::Pace pace{[](async::Duration, qsizetype members) { return members * PacePerMember; }};
    const auto show = [this](const zk::Answer<zk::Children> &members) {
        dispatcher.setMembers(members.ok() ? members->names : QByteArrayList());
    };
    co_await recipes::followChildren(cluster.zk, cluster.layout.members(), pace, show);
}

async::Task<void> Worker::Private::followCordon()
{
    const auto onChange = [this](const zk::Node *cordon) {
        stops.cordon = cordon ? cordon->stat.czxid : 0;
        dispatcher.setStops(stops);
    };
    co_await recipes::followData(cluster.zk, cluster.layout.cordon(id), onChange);
}

async::Task<void> Worker::Private::followBackpressure()
{
    const auto onChange = [this](const zk::Node *node) {
        stops.backpressure = node != nullptr;
        dispatcher.setStops(stops);
    };
    co_await recipes::followData(cluster.zk, cluster.layout.backpressure(), onChange);
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

// Without a spool no output is kept.
async::Task<void> Worker::Private::keepSpool()
{
    const auto onChange = [this](const QString &shortage) {
        spoolShortage = shortage;
        spoolChanged();
    };
    if (options.spool.isEmpty()) {
        onChange({});
        co_await cluster.zk.lost();
        co_return;
    }
    SpoolKeeper keeper(
        cluster.zk.loop(), options.spool, options.spoolLimits, [this] { return dispatcher.clockAgrees(); }, onChange);
    co_await keeper.run();
}

Worker::Worker(jobs::Cluster cluster, WorkerOptions options, Runner &runner, Events events)
    : d(std::make_unique<Private>(std::move(cluster), std::move(options), runner, std::move(events)))
{
}

Worker::~Worker() = default;

void Worker::takeCredentials(const trust::Credentials &credentials)
{
    d->dispatcher.believe(credentials.anchors);
    d->info.renewal = credentials.renewal;
    d->infoChanged.set();
}

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
    d->dispatcher.stop();
    d->stopping.set();
}

void Worker::abandonJobs()
{
    d->dispatcher.abandon(Attempts::Grace::OfJob);
    d->stopping.set();
}

void Worker::killJobs()
{
    d->dispatcher.abandon(Attempts::Grace::None);
    d->stopping.set();
}

int Worker::running() const
{
    return d->dispatcher.running();
}

qint64 Worker::keptReported() const
{
    return d->outcomes.keptReported();
}

qint64 Worker::rejectedReports() const
{
    return d->reporter.rejected();
}

} // namespace drover::workers
