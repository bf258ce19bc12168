#include "workers/admission.h"

#include "async/first_of.h"
#include "jobs/cancel.h"
#include "jobs/why_room.h"
#include "recipes/follow.h"
#include "recipes/persist.h"
#include "recipes/until_gone.h"
#include "workers/begin_claimed.h"
#include "workers/capacity.h"
#include "workers/gang_place.h"
#include "workers/holding.h"
#include "workers/reporter.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using zk::Answer;

Q_LOGGING_CATEGORY(lcAdmission, "drover.workers.admission")

namespace {

constexpr auto Moment = 100ms; // who waits no longer bothers nobody with it
constexpr async::Duration RoomPatience = 30s;
constexpr async::Duration SlotPatience = 100ms; // of one to which all slots are alike
constexpr async::Duration HoldingPatience = 2s; // of one whose locks others may wait for
constexpr async::Duration LongestPatience = 8min;
constexpr int MaxDoublings = 12;
constexpr async::Duration LookAround = 15s; // for a worker that has room
constexpr int LooksAround = 8; // within a patience, at most
constexpr auto RetryPause = 5s; // somebody has deleted or written a lock's znodes, or changed who may

QString roomFor(const jobs::Needs &needs)
{
    const QString slots =
        needs.slots == 1 ? QStringLiteral("a free slot") : QStringLiteral("%1 free slots").arg(needs.slots);
    constexpr qint64 MiB = 1024 * 1024;
    return needs.memory == 0 ? slots
                             : slots + QStringLiteral(" and %1 MiB of memory").arg((needs.memory + MiB - 1) / MiB);
}

async::Task<void> patient(async::Loop &loop, async::Duration limit)
{
    co_await async::sleepFor(loop, limit);
}

} // namespace

Admission::Admission(zk::Coordinator &zk, jobs::Layout layout, Reporter &reporter, jobs::GangMember self,
                     Listeners listeners)
    : m_zk(zk), m_layout(std::move(layout)), m_reporter(reporter), m_self(std::move(self)),
      m_listeners(std::move(listeners))
{
}

Admission::~Admission() = default;

async::Duration Admission::patience(const ClaimedJob &job)
{
    const bool needsOneSlot = Capacity::isOneSlot(job.spec.needs) && job.spec.gang == 0;
    const async::Duration first = job.held ? HoldingPatience : needsOneSlot ? SlotPatience : RoomPatience;
    return std::min(first * (1 << std::min(job.spec.roomless, MaxDoublings)), LongestPatience);
}

void Admission::add(ClaimedJob job, bool queueLimit)
{
    const auto entry = std::make_shared<Entry>();
    entry->job = std::move(job);
    entry->queueLimit = queueLimit;
    m_all.push_back(entry);
    m_tasks.spawn(admit(entry));
}

Crowd Admission::crowd() const
{
    Crowd crowd;
    for (const EntryPtr &entry : m_all) {
        const QStringList holdables = Holdables::namesFor(entry->job.spec, entry->queueLimit);
        if (holdables.isEmpty() || entry->holds)
            continue;
        crowd.add(entry->waitsFor.isEmpty() ? holdables : QStringList(entry->waitsFor));
    }
    return crowd;
}

std::vector<jobs::Needs> Admission::needsOfMembers() const
{
    std::vector<jobs::Needs> needs;
    for (const EntryPtr &entry : m_all) {
        if (!entry->seated && entry->job.spec.gang > 0)
            needs.push_back(entry->job.spec.needs);
    }
    return needs;
}

void Admission::seatReady()
{
    const EntryPtr entry = m_ready.front();
    std::erase(m_ready, entry);
    entry->seated = true;
    entry->roomKept.set();
}

void Admission::giveBackAll(const QByteArray &queue)
{
    for (const EntryPtr &entry : std::vector<EntryPtr>(m_all)) {
        if (!queue.isEmpty() && entry->job.id.queue != queue)
            continue;
        if (entry->seated)
            entry->over.set(); // it may have begun before it has left
        else
            giveBack(entry);
    }
}

void Admission::forgetAll()
{
    m_tasks.cancelAll();
    m_ready.clear();
    m_all.clear();
}

void Admission::remove(const EntryPtr &entry)
{
    entry->left = true;
    std::erase(m_all, entry);
    std::erase(m_ready, entry);
}

void Admission::giveBack(const EntryPtr &entry)
{
    if (entry->left)
        return;
    remove(entry);
    if (entry->roomless)
        entry->job.stored = jobs::JobSpec::countRoomless(entry->job.stored);
    m_reporter.giveBackUnbegun(entry->job);
    entry->job.held.reset();
    entry->over.set();
}

async::Task<void> Admission::admit(EntryPtr entry)
{
    const ClaimedJob job = entry->job; // without what it will hold
    try {
        std::vector<async::Task<void>> parts;
        parts.push_back(untilOver(entry));
        parts.push_back(tell(entry));
        parts.push_back(watchClaim(entry));
        parts.push_back(untilDeleted(entry));
        parts.push_back(obtain(entry));
        co_await async::firstOf(m_zk.loop(), std::move(parts));
        co_await settle(entry);
        if (entry->begun) {
            start(entry);
        } else if (!entry->left) {
            giveBack(entry);
            m_listeners.onReturned(job, entry->seated);
            co_return;
        }
        if (entry->told && job.spec.gang > 0) // others have said it when they began
            co_await say(job, QString());
    } catch (const zk::SessionLost &) {
        remove(entry); // the job is another attempt's now
    }
}

async::Task<void> Admission::untilOver(EntryPtr entry)
{
    co_await entry->over.wait();
}

// Returns when there has been no room for too long.
async::Task<void> Admission::obtain(EntryPtr entry)
{
    co_await hold(entry);
    if (entry->left)
        co_return;
    entry->waitsFor = roomFor(entry->job.spec.needs);
    entry->newlyWaits.set();
    const async::Duration limit = patience(entry->job);
    m_ready.push_back(entry);
    m_listeners.onReady();
    std::vector<async::Task<void>> parts;
    parts.push_back(untilSeated(entry));
    parts.push_back(patient(m_zk.loop(), limit));
    parts.push_back(untilRoomElsewhere(entry, limit));
    co_await async::firstOf(m_zk.loop(), std::move(parts));
    entry->roomless = !entry->seated;
    if (entry->seated && entry->job.spec.gang > 0)
        co_await assemble(entry);
}

async::Task<void> Admission::untilSeated(EntryPtr entry)
{
    co_await entry->roomKept.wait();
}

// What it holds keeps it here: it would be the last in line there.
async::Task<void> Admission::untilRoomElsewhere(EntryPtr entry, async::Duration patience)
{
    const ClaimedJob &job = entry->job;
    for (bool found = false; !found;) {
        co_await async::sleepFor(m_zk.loop(), std::max(LookAround, patience / LooksAround));
        if (job.held)
            continue;
        try {
            found = co_await jobs::hasRoomElsewhere(m_zk, m_layout, job.id, job.spec, m_self.worker);
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const zk::Error &error) {
            qCWarning(lcAdmission, "cannot see whether another worker has room for %s: %s", job.id.bytes().constData(),
                      error.what());
        }
    }
}

async::Task<void> Admission::assemble(EntryPtr entry)
{
    entry->waitsFor = jobs::Claim::ItsGang;
    entry->newlyWaits.set();
    entry->place = std::make_shared<GangPlace>(m_zk, m_layout, entry->job, m_self);
    const bool begun = co_await entry->place->untilBegun();
    entry->begun = begun;
    if (!begun)
        co_await cancelIfOrphaned(entry->job.id);
}

// Its round was deleted by hand. With its gang nobody else would end it, and it would be claimed again and again.
async::Task<void> Admission::cancelIfOrphaned(jobs::JobId member)
{
    for (;;) {
        try {
            const bool unfinished = co_await jobs::isUnfinished(m_zk, m_layout, member.array());
            if (!unfinished) // otherwise the master will
                co_await jobs::cancelIfThere(m_zk, m_layout, member);
            co_return;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const zk::Error &error) {
            qCWarning(lcAdmission, "%s has lost its gang and cannot be cancelled: %s", member.bytes().constData(),
                      error.what());
        }
        co_await async::sleepFor(m_zk.loop(), RetryPause);
    }
}

// Whether it has begun, now that its wait is over. What is to leave while it begins is given back by what it has
// become.
async::Task<void> Admission::settle(EntryPtr entry)
{
    if (entry->place && !entry->begun) {
        const bool begun = co_await entry->place->leave();
        entry->begun = begun;
    } else if (entry->seated && entry->job.pending && !entry->over.isSet()) {
        const bool begun = co_await beginClaimed(m_zk, m_layout, entry->job);
        entry->begun = begun && !entry->over.isSet();
    }
}

// A member of a gang gives up its place once its end is reported.
void Admission::start(const EntryPtr &entry)
{
    remove(entry);
    ClaimedJob job = entry->job;
    entry->job.held.reset();
    if (entry->place)
        job.held = Holding::with(std::move(job.held), entry->place->environment(), entry->place);
    entry->place.reset();
    m_listeners.onBegun(std::move(job));
}

async::Task<void> Admission::hold(EntryPtr entry)
{
    const jobs::JobSpec &spec = entry->job.spec;
    if (Holdables::namesFor(spec, entry->queueLimit).isEmpty())
        co_return;
    const auto onTurn = [this, &entry](const QString &what) {
        const bool first = std::exchange(entry->waitsFor, what).isEmpty();
        entry->newlyWaits.set();
        if (!first)
            m_listeners.onReady();
    };
    Holdables holdables(m_zk, m_layout, spec, entry->queueLimit);
    while (!entry->job.held) {
        try {
            std::shared_ptr<const Holding> held = co_await holdables.acquire(entry->job.id.bytes(), onTurn);
            if (entry->left)
                co_return;
            entry->job.held = std::move(held);
            entry->holds = true;
            continue;
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const zk::Error &error) {
            qCWarning(lcAdmission, "%s waits for %ls and cannot get it: %s", entry->job.id.bytes().constData(),
                      qUtf16Printable(entry->waitsFor), error.what());
        }
        co_await async::sleepFor(m_zk.loop(), RetryPause);
    }
}

// Says in the claim what the job waits for, now and whenever that changes.
async::Task<void> Admission::tell(EntryPtr entry)
{
    co_await async::sleepFor(m_zk.loop(), Moment);
    for (;;) {
        entry->newlyWaits.reset();
        entry->told = true;
        co_await say(entry->job, entry->waitsFor);
        co_await entry->newlyWaits.wait();
    }
}

// A cancel of the job or its requeue, or the end of its claim by another hand, ends its wait.
async::Task<void> Admission::watchClaim(EntryPtr entry)
{
    co_await async::sleepFor(m_zk.loop(), Moment);
    const auto onClaim = [entry](const zk::Node *node) {
        try {
            const jobs::Claim claim = node ? jobs::Claim::decode(node->data) : jobs::Claim();
            if (!node || claim.cancelled || claim.requeue)
                entry->over.set();
        } catch (const jobs::Malformed &) {
            // Not a request of ours.
        }
    };
    co_await recipes::followData(m_zk, m_layout.claim(entry->job.id), onClaim);
}

// By hand: nobody cancels what is no longer there, and a member would keep its place for others that never come.
async::Task<void> Admission::untilDeleted(EntryPtr entry)
{
    co_await async::sleepFor(m_zk.loop(), Moment);
    co_await recipes::untilGone(m_zk, m_layout.job(entry->job.id.queue, entry->job.entry));
}

// A cancel is written to the claim as well: it is changed at the version that was read, or not at all.
async::Task<void> Admission::say(ClaimedJob job, QString waits)
{
    const zk::Path path = m_layout.claim(job.id);
    const auto read = [&] { return m_zk.get(path); };
    const Answer<zk::Node> node = co_await recipes::persist(m_zk, read);
    if (!node.ok() || node->stat.czxid != job.token)
        co_return;
    try {
        jobs::Claim claim = jobs::Claim::decode(node->data);
        if (claim.cancelled || claim.waits == waits)
            co_return;
        claim.waits = waits;
        co_await m_zk.set(path, claim.encode(), node->stat.version);
    } catch (const jobs::Malformed &) {
        // Somebody has written something else there.
    } catch (const zk::ConnectionLoss &) {
        // It is for people alone.
    }
}

} // namespace drover::workers
