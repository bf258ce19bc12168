#include "workers/dispatch/pending_jobs.h"

#include "async/event.h"
#include "async/first_of.h"
#include "jobs/client/cancel_job.h"
#include "jobs/cluster/free_room.h"
#include "recipes/blocks/follow.h"
#include "recipes/blocks/until_gone.h"
#include "workers/claims/job_locks.h"
#include "workers/claims/reporter.h"
#include "workers/claims/start_attempt.h"
#include "workers/dispatch/gang_member_node.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;

Q_LOGGING_CATEGORY(lcPendingJobs, "drover.workers.pending_jobs")

namespace {

constexpr auto QuietTime = 100ms; // shorter waits are not published
constexpr async::Duration RoomPatience = 30s;
constexpr async::Duration SlotPatience = 100ms; // of one to which all slots are alike
constexpr async::Duration LockPatience = 2s; // of one whose locks others may wait for
constexpr async::Duration LongestPatience = 8min;
constexpr int MaxDoublings = 12;
constexpr async::Duration LookAround = 15s; // for a worker that has room
constexpr int LooksAround = 8; // within a patience, at most
constexpr auto LockRetryPause = 5s; // a lock's znodes or their ACLs were changed by hand

QString roomFor(const jobs::Needs &needs)
{
    const QString slots =
        needs.slots == 1 ? QStringLiteral("a free slot") : QStringLiteral("%1 free slots").arg(needs.slots);
    constexpr qint64 MiB = 1024 * 1024;
    return needs.memory == 0 ? slots
                             : slots + QStringLiteral(" and %1 MiB of memory").arg((needs.memory + MiB - 1) / MiB);
}

} // namespace

PendingJobs::PendingJobs(jobs::Cluster cluster, Reporter &reporter, jobs::GangMember self, Listener &listener)
    : m_cluster(std::move(cluster)), m_reporter(reporter), m_self(std::move(self)), m_listener(listener)
{
}

PendingJobs::~PendingJobs() = default;

async::Duration PendingJobs::patience(const ClaimedJob &job)
{
    const bool needsOneSlot = Capacity::isOneSlot(job.spec.needs) && job.spec.gang == 0;
    const async::Duration first = job.held ? LockPatience : needsOneSlot ? SlotPatience : RoomPatience;
    return std::min(first * (1 << std::min(job.spec.notes.roomless, MaxDoublings)), LongestPatience);
}

void PendingJobs::add(ClaimedJob job, bool queueLimit)
{
    const auto entry = std::make_shared<Entry>();
    entry->job = std::move(job);
    entry->queueLimit = queueLimit;
    m_all.push_back(entry);
    m_tasks.spawn(attend(entry));
}

LockContention PendingJobs::contention() const
{
    LockContention contention;
    for (const EntryPtr &entry : m_all) {
        if (entry->stage != Stage::WaitsForLocks)
            continue;
        contention.add(entry->waitsFor.isEmpty() ? LockRequests::namesOf(entry->job.spec, entry->queueLimit)
                                                 : QStringList(entry->waitsFor));
    }
    return contention;
}

std::vector<jobs::Needs> PendingJobs::needsOfMembers() const
{
    std::vector<jobs::Needs> needs;
    for (const EntryPtr &entry : m_all) {
        if (entry->stage < Stage::Reserved && entry->job.spec.gang > 0)
            needs.push_back(entry->job.spec.needs);
    }
    return needs;
}

void PendingJobs::reserveNext(Capacity::Reservation room)
{
    const EntryPtr entry = m_ready.front();
    std::erase(m_ready, entry);
    entry->stage = Stage::Reserved;
    entry->room = std::move(room);
    entry->reserved.set();
}

void PendingJobs::giveBackAll(const QByteArray &queue)
{
    for (const EntryPtr &entry : std::vector<EntryPtr>(m_all)) {
        if (!queue.isEmpty() && entry->job.id.queue != queue)
            continue;
        if (entry->stage >= Stage::Reserved)
            entry->over.set(); // it may have begun before it has left
        else
            giveBack(entry);
    }
}

void PendingJobs::forgetAll()
{
    m_tasks.cancelAll();
    m_ready.clear();
    m_all.clear();
}

void PendingJobs::remove(const EntryPtr &entry)
{
    std::erase(m_all, entry);
    std::erase(m_ready, entry);
}

void PendingJobs::giveBack(const EntryPtr &entry)
{
    if (entry->stage == Stage::Left)
        return;
    entry->stage = Stage::Left;
    remove(entry);
    m_reporter.giveBackUnstarted(entry->job);
    entry->job.held.reset();
    entry->room.reset();
    entry->over.set();
}

async::Task<void> PendingJobs::attend(EntryPtr entry)
{
    const ClaimedJob job = entry->job; // a copy without locks
    try {
        co_await async::firstOf(m_cluster.zk.loop(), async::untilSet(entry->over), publish(entry), watchClaim(entry),
                                untilDeleted(entry), obtain(entry));
        co_await decideStart(entry);
        if (entry->stage == Stage::Started) {
            handOver(entry);
        } else if (entry->stage != Stage::Left) {
            giveBack(entry);
            m_listener.pendingReturned(job);
            co_return;
        }
        if (entry->published && job.spec.gang > 0) // others have said it when they began
            co_await publishWait(m_cluster, job, QString());
    } catch (const zk::SessionLost &) {
        remove(entry); // the job is another attempt's now
    }
}

// Returns when there has been no room for too long.
async::Task<void> PendingJobs::obtain(EntryPtr entry)
{
    co_await acquireLocks(entry);
    if (entry->stage == Stage::Left)
        co_return;
    entry->stage = Stage::WaitsForRoom;
    entry->waitsFor = roomFor(entry->job.spec.needs);
    entry->newlyWaits.set();
    const async::Duration limit = patience(entry->job);
    m_ready.push_back(entry);
    m_listener.pendingChanged();
    async::Task<void> patience = async::asTask(async::sleepFor(m_cluster.zk.loop(), limit));
    co_await async::firstOf(m_cluster.zk.loop(), async::untilSet(entry->reserved), std::move(patience),
                            untilRoomElsewhere(entry, limit));
    if (entry->stage == Stage::WaitsForRoom) {
        std::erase(m_ready, entry);
        entry->job.stored = jobs::noted(entry->job.stored, &jobs::JobNotes::countRoomless);
    } else if (entry->stage == Stage::Reserved && entry->job.spec.gang > 0) {
        co_await assemble(entry);
    }
}

// What it holds keeps it here: it would be the last in line there.
async::Task<void> PendingJobs::untilRoomElsewhere(EntryPtr entry, async::Duration patience)
{
    const ClaimedJob &job = entry->job;
    for (bool found = false; !found;) {
        co_await async::sleepFor(m_cluster.zk.loop(), std::max(LookAround, patience / LooksAround));
        if (job.held)
            continue;
        try {
            found = co_await jobs::hasRoomElsewhere(m_cluster, job.id, job.spec, m_self.worker);
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const zk::Error &error) {
            qCWarning(lcPendingJobs, "cannot see whether another worker has room for %s: %s",
                      job.id.bytes().constData(), error.what());
        }
    }
}

async::Task<void> PendingJobs::assemble(EntryPtr entry)
{
    entry->waitsFor = jobs::Claim::ItsGang;
    entry->newlyWaits.set();
    entry->place = std::make_shared<GangMemberNode>(m_cluster, entry->job, m_self);
    const bool begun = co_await entry->place->untilBegun();
    if (begun)
        entry->stage = Stage::Started;
    else
        co_await cancelIfOrphaned(entry->job.id);
}

// Its round was deleted by hand. If its gang was too, no other would end it, and it would be claimed repeatedly.
async::Task<void> PendingJobs::cancelIfOrphaned(jobs::JobId member)
{
    for (;;) {
        try {
            const bool unfinished = co_await jobs::isUnfinished(m_cluster, member.array());
            if (!unfinished) // otherwise the master will
                co_await jobs::cancelIfThere(m_cluster, member);
            co_return;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const zk::Error &error) {
            qCWarning(lcPendingJobs, "%s has lost its gang and cannot be cancelled: %s", member.bytes().constData(),
                      error.what());
        }
        co_await async::sleepFor(m_cluster.zk.loop(), LockRetryPause);
    }
}

// Whether it has begun, now that its wait is over. What is to leave while it begins is given back by what it has
// become.
async::Task<void> PendingJobs::decideStart(EntryPtr entry)
{
    if (entry->stage != Stage::Reserved)
        co_return;
    bool begun = false;
    if (entry->place) {
        begun = co_await entry->place->leave();
    } else if (entry->job.pending && !entry->over.isSet()) {
        begun = co_await startAttempt(m_cluster, entry->job);
        begun = begun && !entry->over.isSet();
    }
    if (begun)
        entry->stage = Stage::Started;
}

// A member of a gang gives up its place once its end is reported.
void PendingJobs::handOver(const EntryPtr &entry)
{
    remove(entry);
    ClaimedJob job = entry->job;
    entry->job.held.reset();
    if (entry->place)
        job.held = JobLocks::with(std::move(job.held), entry->place->environment(), entry->place);
    entry->place.reset();
    m_listener.pendingStarted(std::move(job), std::move(entry->room));
}

async::Task<void> PendingJobs::acquireLocks(EntryPtr entry)
{
    const jobs::JobSpec &spec = entry->job.spec;
    if (LockRequests::namesOf(spec, entry->queueLimit).isEmpty())
        co_return;
    const auto onTurn = [this, &entry](const QString &what) {
        const bool first = std::exchange(entry->waitsFor, what).isEmpty();
        entry->newlyWaits.set();
        if (!first)
            m_listener.pendingChanged();
    };
    LockRequests requests(m_cluster, spec, entry->queueLimit);
    while (!entry->job.held) {
        try {
            std::shared_ptr<const JobLocks> held = co_await requests.acquire(entry->job.id.bytes(), onTurn);
            if (entry->stage == Stage::Left)
                co_return;
            entry->job.held = std::move(held);
            continue;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const zk::Error &error) {
            qCWarning(lcPendingJobs, "%s waits for %ls and cannot get it: %s", entry->job.id.bytes().constData(),
                      qUtf16Printable(entry->waitsFor), error.what());
        }
        co_await async::sleepFor(m_cluster.zk.loop(), LockRetryPause);
    }
}

// Says in the claim what the job waits for, now and whenever that changes.
async::Task<void> PendingJobs::publish(EntryPtr entry)
{
    co_await async::sleepFor(m_cluster.zk.loop(), QuietTime);
    for (;;) {
        entry->newlyWaits.reset();
        entry->published = true;
        co_await publishWait(m_cluster, entry->job, entry->waitsFor);
        co_await entry->newlyWaits.wait();
    }
}

// A cancel of the job or its requeue, or the end of its claim by another hand, ends its wait.
async::Task<void> PendingJobs::watchClaim(EntryPtr entry)
{
    co_await async::sleepFor(m_cluster.zk.loop(), QuietTime);
    const auto onClaim = [entry](const zk::Node *node) {
        const auto claim = node ? jobs::tryDecode<jobs::Claim>(node->data) : std::nullopt;
        if (!node || (claim && (claim->cancelled || claim->requeue))) // malformed: not a request of ours
            entry->over.set();
    };
    co_await recipes::followData(m_cluster.zk, m_cluster.layout.claim(entry->job.id), onClaim);
}

// By hand: a deleted gang is not cancelled, and a member would keep its place for others that never come.
async::Task<void> PendingJobs::untilDeleted(EntryPtr entry)
{
    co_await async::sleepFor(m_cluster.zk.loop(), QuietTime);
    co_await recipes::untilGone(m_cluster.zk, m_cluster.layout.job(entry->job.id.queue, entry->job.entry));
}

} // namespace drover::workers
