#include "workers/puller.h"

#include "async/first_of.h"
#include "recipes/follow.h"
#include "workers/holding.h"
#include "workers/reporter.h"

#include <QSysInfo>

#include <algorithm>
#include <tuple>

namespace drover::workers {

using namespace std::chrono_literals;
using zk::Coordinator;

namespace {

constexpr int MaxClaims = 16; // in one transaction
// Until the next jobs are looked at that may pass. The first come again after a second (QueueFeed::passOver).
constexpr auto PassingPause = 100ms;
constexpr int MarginOfUsual = 4; // a job may take longer than those before it

// If this claim were lost as an attempt before the job has begun, it would be given up without having had it.
bool isLastAttempt(const ClaimedJob &job)
{
    return job.spec.lost(job.attempt - 1) + 1 >= job.spec.maxAttempts;
}

} // namespace

Puller::Puller(Coordinator &zk, jobs::Layout layout, const WorkerOptions &options, Runner &runner, Reporter &reporter,
               Events events)
    : m_zk(zk), m_layout(std::move(layout)), m_options(options), m_reporter(reporter), m_events(std::move(events)),
      m_clock(zk.loop()), m_claimer(zk, m_layout, options.id, &m_clock),
      m_capacity(options.slotCount, options.memory, options.labels),
      m_admission(zk, m_layout, reporter, {options.id, QSysInfo::machineHostName()},
                  {[this] { goOn(); }, [this](const ClaimedJob &job, bool seated) { onReturned(job, seated); },
                   [this](ClaimedJob job) { onBegun(std::move(job)); }}),
      m_attempts(zk, m_layout, options, runner, reporter, m_capacity, m_clock,
                 {[this] { goOn(); }, [this](ClaimedJob job) { onRecalled(std::move(job)); }, [this] { goOn(); },
                  [this](const QString &reason) { m_events.troubled(reason); }})
{
    for (const QByteArray &queue : options.queues)
        m_sources.push_back(std::make_unique<Source>(zk, m_layout, queue, options.id.toLatin1(),
                                                     [this] { return m_admission.crowd(); }));
}

async::Task<void> Puller::run()
{
    co_await pull();
    giveBackUnbegun();
    leaveLines();
    co_await m_admission.drained();
    co_await m_attempts.ended();
}

void Puller::stop()
{
    m_stopping = true;
    m_changed.set();
}

void Puller::abandon(Attempts::Grace grace)
{
    stop();
    m_attempts.abandon(grace);
}

async::Task<void> Puller::killAll()
{
    m_stopping = true;
    for (const ClaimedJob &job : std::exchange(m_claimed, {}))
        m_reporter.giveBackUnbegun(job);
    m_admission.forgetAll();
    co_await m_attempts.killAll();
}

async::Task<void> Puller::pull()
{
    while (!m_stopping) {
        m_changed.reset();
        if (m_zk.state() != Coordinator::State::Connected) {
            co_await m_zk.connected();
            continue;
        }
        if (mustNotBegin())
            giveBackUnbegun();
        if (m_cordon)
            m_events.cordoned(*m_cordon);
        const int count = wanted();
        Source *const source = count > 0 ? sourceWithWork() : nullptr;
        if (source) {
            co_await claimFrom(*source, count);
        } else if (count > 0 && mayLook()) {
            co_await searchAll();
        } else {
            leaveLines();
            co_await m_changed.wait();
        }
    }
}

async::Task<void> Puller::claimFrom(Source &source, int count)
{
    const qint32 version = source.version;
    std::vector<jobs::QueueEntry> entries = source.feed.take(static_cast<std::size_t>(count));
    const async::TimePoint begin = m_zk.loop().now();
    m_claiming = true; // the slots that are free are promised to what is being claimed
    Claims won = co_await m_claimer.claim(source.feed.queue(), std::move(entries), termsOf(source));
    m_claiming = false;
    noteClaims(won, begin);
    source.feed.exclude(won.hopeless);
    for (const ClaimedJob &job : won.never)
        source.feed.excludeAt(job.entry, job.attempt - 1);
    if (won.stale && source.version == version)
        source.settings.reset(); // until they have been read again
    for (ClaimedJob &job : won.jobs) {
        if (job.pending || job.spec.gang > 0)
            m_admission.add(std::move(job), source.limited());
        else if (!job.ahead && !m_stopping && m_capacity.freeSlots() > 0)
            m_attempts.begin(std::move(job));
        else
            m_claimed.push_back(std::move(job));
    }
    source.feed.passOverForRoom(won.notNow);
    deferCrowded(source, won.crowded);
    const auto served =
        std::find_if(m_sources.begin(), m_sources.end(), [&](const auto &other) { return other.get() == &source; });
    std::rotate(m_sources.begin(), served + 1, m_sources.end()); // no queue starves another
    this->begin();
}

void Puller::noteClaims(const Claims &won, async::TimePoint begin)
{
    if (!won.jobs.empty())
        m_prefetch.noteClaim(m_zk.loop().now() - begin);
    else if (m_admission.ready() && !won.notNow.empty()) {
        m_nonePasses = true;
        m_nextPassing = m_zk.loop().after(PassingPause, [this] {
            m_nonePasses = false;
            m_changed.set();
        });
    }
}

// One that shared its listing with those that made the crowd may find it gone by now.
void Puller::deferCrowded(Source &source, const std::vector<ClaimedJob> &jobs)
{
    const Crowd crowd = m_admission.crowd();
    for (const ClaimedJob &job : jobs) {
        const QString holdable = crowd.inTheWayOf(Holdables::namesFor(job.spec, source.limited()));
        if (!holdable.isEmpty())
            source.feed.defer(job.entry, holdable);
    }
}

// Whether a free slot is all that such a job needs.
bool Puller::isPlain(const Source &source, const jobs::JobSpec &spec) const
{
    return Capacity::isOneSlot(spec.needs) && spec.gang == 0 && Holdables::namesFor(spec, source.limited()).isEmpty();
}

bool Puller::Passing::mayPass(const jobs::JobSpec &spec) const
{
    if (spec.timeLimit.count() > 0)
        return spec.timeLimit + spec.killGrace <= m_untilRoom;
    return m_usual && *m_usual * MarginOfUsual <= m_untilRoom;
}

// Nothing if all that is free may be used.
std::optional<Puller::Passing> Puller::passing() const
{
    const ClaimedJob *const next = m_admission.ready();
    if (!next)
        return std::nullopt;
    const int lacking = next->spec.needs.slots - m_capacity.freeSlots();
    const std::optional<async::Duration> untilRoom = m_attempts.untilFree(std::max(1, lacking));
    return Passing(untilRoom.value_or(async::Duration::zero()), m_attempts.usual());
}

Terms Puller::termsOf(const Source &source) const
{
    Capacity left = m_capacity;
    for (const ClaimedJob &job : m_claimed)
        left.take(job.spec.needs);
    Capacity leftForMembers = left; // one more than have room would get its permits, and keep its gang waiting
    for (const jobs::Needs &needs : m_admission.needsOfMembers())
        leftForMembers.take(needs);
    Terms terms;
    terms.settings = source.version;
    terms.judge = [this, &source, left, leftForMembers, crowd = m_admission.crowd(), late = false,
                   slotsAreFree = m_attempts.waiting() == 0, passing = passing()](const ClaimedJob &job) mutable {
        const jobs::Needs &needs = job.spec.needs;
        if (!left.suits(needs))
            return Fit::Never;
        const bool plain = isPlain(source, job.spec);
        if (passing && !(plain && !isLastAttempt(job) && left.hasRoomFor(needs) && passing->mayPass(job.spec)))
            return Fit::NotNow;
        if (!plain) {
            const QStringList holdables = Holdables::namesFor(job.spec, source.limited());
            if (!crowd.inTheWayOf(holdables).isEmpty())
                return Fit::Crowded;
            const bool room = (job.spec.gang > 0 ? leftForMembers : left).hasRoomFor(needs);
            const bool itsTurn = !room && !late && source.feed.nobodyElseTook(job.entry);
            if (!room && !itsTurn)
                return Fit::NotNow;
            late = late || itsTurn;
            crowd.add(holdables);
        }
        const bool beginsAtOnce = slotsAreFree && left.hasRoomFor(needs);
        left.take(needs);
        leftForMembers.take(needs);
        if (job.spec.gang > 0)
            return Fit::Claim;
        if (!plain || isLastAttempt(job))
            return Fit::ClaimPending;
        return beginsAtOnce ? Fit::Claim : Fit::ClaimAhead;
    };
    return terms;
}

Puller::Source *Puller::sourceWithWork()
{
    for (const auto &source : m_sources) {
        if (source->open() && !source->feed.dry())
            return source.get();
    }
    return nullptr;
}

Puller::Source &Puller::sourceOf(const QByteArray &queue)
{
    return **std::find_if(m_sources.begin(), m_sources.end(),
                          [&](const auto &source) { return source->feed.queue() == queue; });
}

// Claims ahead come from what is listed: the line is for the idle.
bool Puller::mayLook() const
{
    return m_capacity.freeSlots() > 0
        && std::any_of(m_sources.begin(), m_sources.end(), [](const auto &source) { return source->open(); });
}

async::Task<void> Puller::searchAll()
{
    std::vector<async::Task<void>> searches;
    for (const auto &source : m_sources) {
        if (source->open())
            searches.push_back(source->feed.search());
    }
    searches.push_back(untilChanged());
    co_await async::firstOf(m_zk.loop(), std::move(searches));
}

async::Task<void> Puller::untilChanged()
{
    co_await m_changed.wait();
}

// How many jobs to claim now: for the free slots, and ahead of them as many short ones as will be begun in a moment.
int Puller::wanted() const
{
    if (m_cordon != zk::Zxid(0) || m_pauses != false || m_attempts.resting())
        return 0;
    const int free = m_capacity.freeSlots();
    const int claimed = static_cast<int>(m_claimed.size()) + m_attempts.waiting();
    if (m_admission.ready())
        return m_nonePasses ? 0 : std::clamp(free - claimed, 0, MaxClaims);
    const int ahead = m_prefetch.ahead(m_attempts.expected(), m_options.slotCount);
    if (free == 0 && claimed * 2 > ahead)
        return 0; // enough for now: claim many at a time rather than one by one
    return std::clamp(free + ahead - claimed, 0, MaxClaims);
}

void Puller::goOn()
{
    begin();
    m_changed.set();
}

// What is claimed is for others.
bool Puller::mustNotBegin() const
{
    return m_cordon.value_or(0) != 0 || m_pauses.value_or(false) || m_attempts.resting();
}

void Puller::begin()
{
    while (!m_stopping && !m_attempts.resting()) {
        if (const ClaimedJob *next = m_claiming ? nullptr : m_admission.ready()) {
            if (!m_capacity.hasRoomFor(next->spec.needs))
                break;
            m_capacity.take(next->spec.needs);
            m_admission.seatReady();
        } else if (!m_claimed.empty() && m_capacity.freeSlots() > 0) {
            m_attempts.begin(takeClaimed());
        } else if (!m_claimed.empty() && m_attempts.hasPlaceBehind()) {
            m_attempts.beginBehind(takeClaimed());
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
        m_patience = m_zk.loop().after(m_prefetch.patience(m_attempts.usual()), [this] { giveBackPlain(); });
}

ClaimedJob Puller::takeClaimed()
{
    ClaimedJob job = std::move(m_claimed.front());
    m_claimed.pop_front();
    return job;
}

void Puller::leaveLines()
{
    for (const auto &source : m_sources)
        source->feed.leaveLine();
}

// Of one queue, or of all.
void Puller::giveBackUnbegun(const QByteArray &queue)
{
    giveBackPlain(queue);
    m_admission.giveBackAll(queue);
}

void Puller::giveBackPlain(const QByteArray &queue)
{
    const auto isMeant = [&](const ClaimedJob &job) { return queue.isEmpty() || job.id.queue == queue; };
    for (const ClaimedJob &job : m_claimed) {
        if (isMeant(job))
            m_reporter.giveBackUnbegun(job);
    }
    if (std::erase_if(m_claimed, isMeant) > 0)
        m_changed.set();
    m_attempts.recall(queue);
}

// In the order in which they were claimed: several are recalled one after the other.
void Puller::onRecalled(ClaimedJob job)
{
    const auto isLater = [&job](const ClaimedJob &other) {
        return std::tie(job.token, job.entry) < std::tie(other.token, other.entry);
    };
    if (m_stopping || mustNotBegin() || !sourceOf(job.id.queue).open())
        m_reporter.giveBackUnbegun(job);
    else
        m_claimed.insert(std::find_if(m_claimed.begin(), m_claimed.end(), isLater), std::move(job));
    goOn();
}

// What it has been kept it now takes itself.
void Puller::onBegun(ClaimedJob job)
{
    m_capacity.giveBack(job.spec.needs);
    m_attempts.begin(std::move(job));
}

// The queue may hold others that have room here.
void Puller::onReturned(const ClaimedJob &job, bool seated)
{
    if (seated)
        m_capacity.giveBack(job.spec.needs);
    for (const auto &source : m_sources)
        source->feed.lookAgain(); // those that might not pass it
    sourceOf(job.id.queue).feed.passOver({job.entry});
    goOn();
}

void Puller::setMembers(const QByteArrayList &members)
{
    for (const auto &source : m_sources)
        source->feed.setMembers(members);
}

void Puller::setCordon(zk::Zxid cordon)
{
    m_cordon = cordon;
    m_changed.set();
}

void Puller::setBackpressure(bool pauses)
{
    m_pauses = pauses;
    m_changed.set();
}

async::Task<void> Puller::followQueues()
{
    std::vector<async::Task<void>> following;
    for (const auto &source : m_sources)
        following.push_back(followQueue(*source));
    co_await async::firstOf(m_zk.loop(), std::move(following));
}

async::Task<void> Puller::followQueue(Source &source)
{
    const auto onChange = [this, &source](const zk::Node *node) {
        source.settings.reset();
        if (node) {
            source.settings = jobs::QueueSettings::of(node->data);
            source.version = node->stat.version;
        }
        if (!source.open()) {
            giveBackUnbegun(source.feed.queue());
            source.feed.leaveLine();
        }
        m_changed.set();
    };
    co_await recipes::followData(m_zk, m_layout.queue(source.feed.queue()), onChange);
}

} // namespace drover::workers
