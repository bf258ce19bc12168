#include "workers/dispatch/dispatcher.h"

#include "workers/claims/job_locks.h"
#include "workers/claims/reporter.h"

#include <QSysInfo>

#include <algorithm>
#include <tuple>

namespace drover::workers {

using namespace std::chrono_literals;
using zk::Client;

namespace {

constexpr int MaxClaims = 16; // in one transaction
constexpr auto BackfillPause = 100ms; // before further jobs are read; the first come again after a second (passOver)
constexpr qint32 ManyClaims = 1000; // of one job; it ends after Claimer::MostClaims

} // namespace

Dispatcher::Dispatcher(jobs::Cluster cluster, const WorkerOptions &options, Runner &runner, Reporter &reporter,
                       Listener &listener)
    : m_cluster(std::move(cluster)), m_options(options), m_reporter(reporter), m_listener(listener),
      m_queues(m_cluster, options, [this] { return m_pendingJobs.contention(); }), m_clock(m_cluster.zk.loop()),
      m_claimer(m_cluster, options.id, &m_clock, options.spool),
      m_capacity(options.slotCount, options.memory, options.labels),
      m_pendingJobs(m_cluster, reporter, {options.id, QSysInfo::machineHostName()}, *this),
      m_attempts(m_cluster, options, runner, reporter, m_clock, *this)
{
}

async::Task<void> Dispatcher::run()
{
    co_await pull();
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
    for (const ClaimedJob &job : std::exchange(m_claimed, {}))
        m_reporter.giveBackUnstarted(job);
    m_pendingJobs.forgetAll();
    co_await m_attempts.killAll();
    co_await m_beginning.drained();
}

async::Task<void> Dispatcher::pull()
{
    while (!m_stopping) {
        m_changed.reset();
        if (m_cluster.zk.state() != Client::State::Connected) {
            co_await m_cluster.zk.connected();
            continue;
        }
        if (mustNotStart())
            giveBackUnstarted();
        if (m_cordon)
            m_listener.cordonObeyed(*m_cordon);
        const int count = wanted();
        Queue *const queue = count > 0 ? m_queues.withWork() : nullptr;
        if (queue) {
            co_await claimFrom(*queue, count);
        } else if (count > 0 && mayLook()) {
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
    std::vector<jobs::QueueEntry> entries = queue.finder.take(static_cast<std::size_t>(count));
    const async::TimePoint begin = m_cluster.zk.loop().now();
    m_claiming = true; // the slots that are free are promised to what is being claimed
    Candidates found = co_await m_claimer.read(queue.name(), std::move(entries));
    tellRefused();
    if (!tellJournal())
        found.jobs.clear(); // none of them could begin here
    spareWornJobs(queue, found.jobs);
    if (!found.undecided.isEmpty())
        m_attempts.noteMachineTrouble(found.undecided);
    const auto leftByOthers = [&](const jobs::QueueEntry &entry) { return queue.finder.nobodyElseTook(entry); };
    Selection selection = policyFor(queue).select(std::move(found.jobs), leftByOthers);
    Claims won = co_await m_claimer.claim(std::move(selection.toClaim), version);
    std::vector<ClaimedJob> ours = co_await noteStarts(std::move(won.jobs));
    m_claiming = false;
    noteClaims(!ours.empty(), begin, !selection.noRoomNow.empty());
    queue.finder.exclude(found.inaccessible);
    queue.finder.exclude(won.inaccessible);
    for (const auto *unsuitable : {&found.unsuitable, &selection.unsuitable}) {
        for (const ClaimedJob &job : *unsuitable)
            queue.finder.excludeAt(job.entry, job.attempts.claimVersion - 1);
    }
    if (won.stale && queue.version == version)
        queue.settings.reset(); // until they have been read again
    for (ClaimedJob &job : ours) {
        job.load = m_load.add(SessionLoad::of(m_cluster.layout, job.id, job.spec, queue.limited()));
        if (job.pending || job.spec.gang > 0)
            m_pendingJobs.add(std::move(job), queue.limited());
        else if (!job.prefetched && !m_stopping && m_capacity.freeSlots() > 0)
            startPlain(std::move(job));
        else
            m_claimed.push_back(std::move(job));
    }
    queue.finder.passOverForRoom(selection.noRoomNow);
    deferContended(queue, selection.tooManyWait);
    m_queues.moveToEnd(queue);
    startJobs();
}

// A file server that is away makes all machines sick, and each claim that comes to nothing brings a job nearer to its
// end. So a sick machine tries a job that was claimed a thousand times once in two minutes, and half as often with each
// further thousand.
void Dispatcher::spareWornJobs(Queue &queue, std::vector<ClaimedJob> &jobs)
{
    if (!m_attempts.isTroubled())
        return;
    const async::TimePoint now = m_cluster.zk.loop().now();
    std::vector<jobs::QueueEntry> spared;
    std::erase_if(jobs, [&](const ClaimedJob &job) {
        const int thousands = std::min(job.attempts.claimVersion / ManyClaims, 10);
        const bool isSpared = thousands > 0 && m_triedWornJob && now - *m_triedWornJob < 1min * (1 << thousands);
        if (isSpared)
            spared.push_back(job.entry);
        else if (thousands > 0)
            m_triedWornJob = now;
        return isSpared;
    });
    queue.finder.passOver(spared);
}

// In a closed cluster, before they begin. Jobs that wait here first are noted when they begin (beginNoted).
async::Task<std::vector<ClaimedJob>> Dispatcher::noteStarts(std::vector<ClaimedJob> jobs)
{
    if (!m_claimer.notesStarts())
        co_return jobs;
    const auto beginsSoon = [](const ClaimedJob &job) { return !job.pending && job.spec.gang == 0; };
    const auto later = std::stable_partition(jobs.begin(), jobs.end(), beginsSoon);
    std::vector<ClaimedJob> waiting(std::make_move_iterator(later), std::make_move_iterator(jobs.end()));
    jobs.erase(later, jobs.end());
    std::vector<ClaimedJob> noted = co_await m_claimer.noteStarts(std::move(jobs), dropper());
    std::move(waiting.begin(), waiting.end(), std::back_inserter(noted));
    tellRefused();
    tellJournal();
    co_return noted;
}

Claimer::Drop Dispatcher::dropper()
{
    return [this](const ClaimedJob &job, const std::optional<jobs::FinalRecord> &record) {
        if (record)
            m_reporter.finish(job, *record);
        else
            m_reporter.giveBackUnstarted(job);
    };
}

void Dispatcher::tellRefused()
{
    const qint64 refused = m_claimer.refused() + m_attempts.refused();
    if (std::exchange(m_refused, refused) != refused)
        m_listener.jobsRefused(refused);
}

// False if it cannot be written.
bool Dispatcher::tellJournal()
{
    const QString trouble = m_claimer.journalTrouble();
    if (!trouble.isEmpty())
        m_listener.spoolFailed(trouble);
    return trouble.isEmpty();
}

void Dispatcher::noteClaims(bool any, async::TimePoint begin, bool someHadNoRoom)
{
    if (any)
        m_prefetch.noteClaim(m_cluster.zk.loop().now() - begin);
    else if (m_pendingJobs.next() && someHadNoRoom) {
        m_noneBackfills = true;
        m_nextBackfill = m_cluster.zk.loop().after(BackfillPause, [this] {
            m_noneBackfills = false;
            m_changed.set();
        });
    }
}

// The jobs of one listing share one decision: by now fewer jobs may wait for the lock.
void Dispatcher::deferContended(Queue &queue, const std::vector<ClaimedJob> &jobs)
{
    const LockContention contention = m_pendingJobs.contention();
    for (const ClaimedJob &job : jobs) {
        const QString lock = contention.firstSaturated(LockRequests::namesOf(job.spec, queue.limited()));
        if (!lock.isEmpty())
            queue.finder.defer(job.entry, lock);
    }
}

// Nothing if all that is free may be used.
std::optional<Backfill> Dispatcher::backfill() const
{
    const ClaimedJob *const next = m_pendingJobs.next();
    if (!next)
        return std::nullopt;
    const int lacking = next->spec.needs.slots - m_capacity.freeSlots();
    const std::optional<async::Duration> untilRoom = m_attempts.untilFree(std::max(1, lacking));
    return Backfill(untilRoom.value_or(async::Duration::zero()), m_attempts.usual());
}

ClaimPolicy Dispatcher::policyFor(const Queue &queue) const
{
    Capacity left = m_capacity;
    for (const ClaimedJob &job : m_claimed)
        left.take(job.spec.needs);
    return ClaimPolicy(m_cluster.layout,
                       {.left = left,
                        .gangMembers = m_pendingJobs.needsOfMembers(),
                        .waiting = m_pendingJobs.contention(),
                        .sessionLoad = m_load.bytes(),
                        .queueLimit = queue.limited(),
                        .slotsAreOurs = m_attempts.waiting() == 0,
                        .backfill = backfill()});
}

// Prefetches come from jobs that are already listed: only a worker with a free slot stands in line.
bool Dispatcher::mayLook() const
{
    return m_capacity.freeSlots() > 0 && m_queues.anyOpen();
}

// How many jobs to claim now: for the free slots, and to prefetch short ones that will start in a moment.
int Dispatcher::wanted() const
{
    if (m_cordon != zk::Zxid(0) || m_pauses != false || m_spoolIsFull != false || m_attempts.isBackingOff()
        || m_load.isFull())
        return 0;
    const int free = m_capacity.freeSlots();
    const int claimed = static_cast<int>(m_claimed.size()) + m_attempts.waiting();
    if (m_pendingJobs.next())
        return m_noneBackfills ? 0 : std::clamp(free - claimed, 0, MaxClaims);
    const int prefetch = m_prefetch.count(m_attempts.expected(), m_options.slotCount);
    if (free == 0 && claimed * 2 > prefetch)
        return 0; // enough for now: claim many at a time rather than one by one
    return std::clamp(free + prefetch - claimed, 0, MaxClaims);
}

void Dispatcher::proceed()
{
    startJobs();
    m_changed.set();
}

// True while a cordon, backpressure, a full spool or a start failure forbids starting; claimed jobs go back to the
// queue.
bool Dispatcher::mustNotStart() const
{
    return m_cordon.value_or(0) != 0 || m_pauses.value_or(false) || m_spoolIsFull.value_or(false)
        || m_attempts.isBackingOff();
}

void Dispatcher::startJobs()
{
    while (!m_stopping && !m_attempts.isBackingOff()) {
        if (const ClaimedJob *next = m_claiming ? nullptr : m_pendingJobs.next()) {
            Capacity::Reservation room = m_capacity.reserve(next->spec.needs);
            if (!room)
                break;
            m_pendingJobs.reserveNext(std::move(room));
        } else if (!m_claimed.empty() && m_capacity.freeSlots() > 0) {
            startPlain(takeClaimed());
        } else if (!m_claimed.empty() && m_attempts.canEnqueueBehind()) {
            m_attempts.enqueueBehind(takeClaimed());
        } else {
            break;
        }
    }
    if (m_claimed.empty() && m_capacity.freeSlots() > 0)
        m_attempts.recall(); // they need not wait
    const bool moreToCome = !m_claimed.empty() || m_attempts.waiting() > 0;
    m_reporter.expectMore(moreToCome);
    m_patience.cancel();
    if (moreToCome)
        m_patience = m_cluster.zk.loop().after(m_prefetch.patience(m_attempts.usual()), [this] { giveBackPlain(); });
}

void Dispatcher::startPlain(ClaimedJob job)
{
    Capacity::Reservation room = m_capacity.reserve(job.spec.needs);
    m_attempts.begin(std::move(job), std::move(room));
}

ClaimedJob Dispatcher::takeClaimed()
{
    ClaimedJob job = std::move(m_claimed.front());
    m_claimed.pop_front();
    return job;
}

// Of one queue, or of all.
void Dispatcher::giveBackUnstarted(const QByteArray &queue)
{
    giveBackPlain(queue);
    m_pendingJobs.giveBackAll(queue);
}

void Dispatcher::giveBackPlain(const QByteArray &queue)
{
    const auto isMeant = [&](const ClaimedJob &job) { return queue.isEmpty() || job.id.queue == queue; };
    for (const ClaimedJob &job : m_claimed) {
        if (isMeant(job))
            m_reporter.giveBackUnstarted(job);
    }
    if (std::erase_if(m_claimed, isMeant) > 0)
        m_changed.set();
    m_attempts.recall(queue);
}

// Recalled jobs arrive one by one, and keep the order of their claims.
void Dispatcher::attemptRecalled(ClaimedJob job)
{
    const auto isLater = [&job](const ClaimedJob &other) {
        return std::tie(job.claimZxid, job.entry) < std::tie(other.claimZxid, other.entry);
    };
    if (m_stopping || mustNotStart() || !m_queues.of(job.id.queue).open())
        m_reporter.giveBackUnstarted(job);
    else
        m_claimed.insert(std::find_if(m_claimed.begin(), m_claimed.end(), isLater), std::move(job));
    proceed();
}

void Dispatcher::pendingStarted(ClaimedJob job, Capacity::Reservation room)
{
    if (m_claimer.notesStarts())
        m_beginning.spawn(beginNoted(std::move(job), std::move(room)));
    else
        m_attempts.begin(std::move(job), std::move(room));
}

async::Task<void> Dispatcher::beginNoted(ClaimedJob job, Capacity::Reservation room)
{
    std::vector<ClaimedJob> one;
    one.push_back(std::move(job));
    std::vector<ClaimedJob> noted = co_await m_claimer.noteStarts(std::move(one), dropper());
    tellRefused();
    tellJournal();
    if (noted.empty())
        room.reset();
    else if (m_mustNotBegin)
        m_reporter.giveBackUnstarted(noted.front());
    else
        m_attempts.begin(std::move(noted.front()), std::move(room));
    proceed();
}

void Dispatcher::attemptEnded()
{
    tellRefused();
    proceed();
}

// The queue may hold other jobs for which there is room here.
void Dispatcher::pendingReturned(const ClaimedJob &job)
{
    m_queues.lookAgain(); // jobs that were not allowed to backfill
    m_queues.of(job.id.queue).finder.passOver({job.entry});
    proceed();
}

void Dispatcher::setCordon(zk::Zxid cordon)
{
    m_cordon = cordon;
    m_changed.set();
}

void Dispatcher::setBackpressure(bool pauses)
{
    m_pauses = pauses;
    m_changed.set();
}

void Dispatcher::setSpoolFull(bool isFull)
{
    m_spoolIsFull = isFull;
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
