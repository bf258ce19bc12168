#include "workers/dispatch/dispatcher.h"

#include "text/host_name.h"
#include "text/printable.h"
#include "workers/claims/reporter.h"

#include <QLoggingCategory>
#include <QSysInfo>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using zk::Client;

Q_LOGGING_CATEGORY(lcDispatcher, "drover.workers.dispatcher")

namespace {

constexpr int MaxClaims = 16; // in one transaction
constexpr auto BackfillPause = 100ms; // before further jobs are read; the first come again after a second (passOver)

// The name of this machine for the members of its gangs. They would not take another one.
QString hostOfMembers()
{
    const QString host = QSysInfo::machineHostName();
    if (text::isHostName(host))
        return host;
    qCWarning(lcDispatcher,
              "the members of gangs here say localhost for their machine: its name \"%s\" is none (%s); give it "
              "another with hostnamectl, and start this worker again",
              qPrintable(text::printable(host)), text::HostNameRule);
    return QStringLiteral("localhost");
}

} // namespace

Dispatcher::Dispatcher(jobs::Cluster cluster, const WorkerOptions &options, Runner &runner, Reporter &reporter,
                       OutcomeReporter &outcomes, zk::ServerClock &clock, WorkerConditions &conditions)
    : m_cluster(std::move(cluster)), m_reporter(reporter), m_conditions(conditions),
      m_health(m_cluster.zk.loop(), conditions, [this] { proceed(); }),
      m_queues(m_cluster, options, [this] { return m_pendingJobs.contention(); }),
      m_claims(m_cluster, options, clock, reporter, outcomes, m_health, conditions),
      m_capacity(options.slotCount, options.memory, options.labels),
      m_pendingJobs(m_cluster, reporter, {options.id, hostOfMembers()}, *this),
      m_attempts(m_cluster, options, runner, reporter, outcomes, m_health, *this),
      m_prefetched(m_cluster.zk.loop(), m_capacity, m_attempts, reporter, [this] { m_changed.set(); })
{
}

async::Task<void> Dispatcher::run()
{
    co_await claimJobs();
    giveBackUnstarted();
    m_queues.leaveLines();
    co_await m_pendingJobs.drained();
    co_await m_beginning.drained();
    co_await m_attempts.ended();
}

void Dispatcher::stop()
{
    m_stopping = true;
    m_changed.set();
}

void Dispatcher::abandon(Attempts::Grace grace)
{
    stop();
    m_mustNotBegin = true;
    m_attempts.abandon(grace);
}

async::Task<void> Dispatcher::killAll()
{
    m_stopping = m_mustNotBegin = true;
    m_prefetched.giveBack();
    m_pendingJobs.forgetAll();
    co_await m_attempts.killAll();
    co_await m_beginning.drained();
}

async::Task<void> Dispatcher::claimJobs()
{
    while (!m_stopping) {
        m_changed.reset();
        if (m_cluster.zk.state() != Client::State::Connected) {
            co_await m_cluster.zk.connected();
            continue;
        }
        if (mustNotStart())
            giveBackUnstarted();
        if (m_stops.cordon)
            m_conditions.cordonObeyed(*m_stops.cordon);
        const int count = wanted();
        Queue *const queue = count > 0 ? m_queues.withWork() : nullptr;
        if (queue) {
            co_await claimFrom(*queue, count);
        } else if (count > 0 && m_capacity.freeSlots() > 0 && m_queues.anyOpen()) { // others stand in no line
            co_await m_queues.search(m_changed);
        } else {
            m_queues.leaveLines();
            co_await m_changed.wait();
        }
    }
}

async::Task<void> Dispatcher::claimFrom(Queue &queue, int count)
{
    const qint32 version = queue.version;
    const async::TimePoint since = m_cluster.zk.loop().now();
    m_claiming = true; // the slots that are free are promised to what is being claimed
    std::vector<ClaimedJob> candidates = co_await m_claims.read(queue, count);
    const auto leftByOthers = [&](const jobs::QueueEntry &entry) { return queue.finder.isLeftByOthers(entry); };
    Selection selection = policyFor(queue).select(std::move(candidates), leftByOthers);
    std::vector<ClaimedJob> ours = co_await m_claims.claim(queue, selection, version);
    m_claiming = false;
    if (!ours.empty())
        m_prefetched.noteClaim(m_cluster.zk.loop().now() - since);
    else if (m_pendingJobs.next() && !selection.noRoomNow.empty())
        pauseBackfill();
    for (ClaimedJob &job : ours) {
        job.load = m_load.add(SessionLoad::of(m_cluster.layout, job.id, job.spec, queue.limited()));
        if (job.pending || job.spec.gang > 0)
            m_pendingJobs.add(std::move(job), queue.limited());
        else if (Capacity::Reservation room =
                     job.prefetched || m_stopping ? nullptr : m_capacity.reserve(job.spec.needs))
            m_attempts.begin(std::move(job), std::move(room));
        else
            m_prefetched.add(std::move(job));
    }
    queue.finder.passOverForRoom(selection.noRoomNow);
    queue.defer(selection.tooManyWait, m_pendingJobs.contention()); // by now fewer jobs may wait for the lock
    m_queues.moveToEnd(queue);
    startJobs();
}

void Dispatcher::pauseBackfill()
{
    m_noneBackfills = true;
    m_nextBackfill = m_cluster.zk.loop().after(BackfillPause, [this] {
        m_noneBackfills = false;
        m_changed.set();
    });
}

ClaimPolicy Dispatcher::policyFor(const Queue &queue) const
{
    std::optional<Backfill> backfill; // nothing: all that is free may be used
    if (const ClaimedJob *const next = m_pendingJobs.next()) {
        const int lacking = next->spec.needs.slots - m_capacity.freeSlots();
        const std::optional<async::Duration> untilRoom = m_attempts.untilFree(std::max(1, lacking));
        backfill.emplace(untilRoom.value_or(async::Duration::zero()), m_attempts.usual());
    }
    return ClaimPolicy(m_cluster.layout,
                       {.left = m_prefetched.left(),
                        .gangMembers = m_pendingJobs.needsOfMembers(),
                        .waiting = m_pendingJobs.contention(),
                        .sessionLoad = m_load.bytes(),
                        .queueLimit = queue.limited(),
                        .slotsAreOurs = m_attempts.waiting() == 0,
                        .backfill = backfill});
}

// How many jobs to claim now: for the free slots, and to prefetch short ones that will start in a moment.
int Dispatcher::wanted() const
{
    if (!m_stops.mayClaim() || m_health.isBackingOff() || m_load.isFull())
        return 0;
    const int free = m_capacity.freeSlots();
    const int claimed = m_prefetched.count();
    if (m_pendingJobs.next())
        return m_noneBackfills ? 0 : std::clamp(free - claimed, 0, MaxClaims);
    const int prefetch = m_prefetched.wanted();
    if (free == 0 && claimed * 2 > prefetch)
        return 0; // enough for now: claim many at a time rather than one by one
    return std::clamp(free + prefetch - claimed, 0, MaxClaims);
}

void Dispatcher::proceed()
{
    startJobs();
    m_changed.set();
}

void Dispatcher::startJobs()
{
    while (!m_stopping && !m_health.isBackingOff()) {
        if (const ClaimedJob *next = m_claiming ? nullptr : m_pendingJobs.next()) {
            Capacity::Reservation room = m_capacity.reserve(next->spec.needs);
            if (!room)
                break;
            m_pendingJobs.reserveNext(std::move(room));
        } else if (!m_prefetched.startFirst()) {
            break;
        }
    }
    m_prefetched.recallLate();
}

// Of one queue, or of all.
void Dispatcher::giveBackUnstarted(const QByteArray &queue)
{
    m_prefetched.giveBack(queue);
    m_pendingJobs.giveBackAll(queue);
}

void Dispatcher::attemptRecalled(ClaimedJob job)
{
    if (m_stopping || mustNotStart() || !m_queues.of(job.id.queue).open())
        m_reporter.giveBackUnstarted(job);
    else
        m_prefetched.putBack(std::move(job));
    proceed();
}

void Dispatcher::pendingStarted(ClaimedJob job, Capacity::Reservation room)
{
    m_beginning.spawn(begin(std::move(job), std::move(room)));
}

async::Task<void> Dispatcher::begin(ClaimedJob job, Capacity::Reservation room)
{
    std::vector<ClaimedJob> one;
    one.push_back(std::move(job));
    std::vector<ClaimedJob> noted = co_await m_claims.noteStarts(std::move(one));
    if (noted.empty())
        room.reset();
    else if (m_mustNotBegin)
        m_reporter.giveBackUnstarted(noted.front());
    else
        m_attempts.begin(std::move(noted.front()), std::move(room));
    proceed();
}

// The queue may hold other jobs for which there is room here.
void Dispatcher::pendingReturned(const ClaimedJob &job)
{
    m_queues.lookAgain(); // jobs that were not allowed to backfill
    m_queues.of(job.id.queue).finder.passOver({job.entry});
    proceed();
}

void Dispatcher::setStops(const ClaimStops &stops)
{
    m_stops = stops;
    m_changed.set();
}

async::Task<void> Dispatcher::followQueues()
{
    const auto onChange = [this](const Queue &queue) {
        if (!queue.open())
            giveBackUnstarted(queue.name());
        m_changed.set();
    };
    co_await m_queues.follow(onChange);
}

} // namespace drover::workers
