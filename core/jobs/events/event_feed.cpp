#include "jobs/events/event_feed.h"

#include "async/event.h"
#include "async/first_of.h"
#include "async/pause.h"
#include "jobs/cluster/queue_settings.h"
#include "jobs/cluster/read_nodes.h"
#include "jobs/events/setting_events.h"
#include "jobs/model/claim.h"
#include "recipes/blocks/follow.h"
#include "text/name.h"

#include <algorithm>
#include <array>

namespace drover::jobs {

using namespace std::chrono_literals;
using zk::Answer;

namespace {

constexpr auto Moment = 30ms; // a round trip: earlier changes are known by then
constexpr async::PauseAfter Pause{.factor = 4, .shortest = 100ms}; // between two looks
constexpr auto ClaimPatience = 300ms; // a claim that waits says for what within a tenth of a second

constexpr std::array Names{
    "submitted",      "moved",        "claimed",       "waits",         "started",         "stopped",
    "failed",         "ended",        "worker-joined", "worker-left",   "worker-cordoned", "worker-uncordoned",
    "master-elected", "queue-paused", "queue-resumed", "queue-limited", "limit-set",       "cron-added",
    "cron-removed",   "cron-paused",  "cron-resumed",  "cron-ran",      "cron-skipped"};

} // namespace

QString kindName(Event::Kind kind)
{
    return QLatin1String(Names[static_cast<std::size_t>(kind)]);
}

// A directory whose children are watched.
struct EventFeed::Followed {
    std::unique_ptr<EventSource> source;
    QByteArrayList names; // as last listed
    zk::Zxid zxid = 0; // of their last change
    quint32 changes = 0; // of them so far
    quint32 changesRead = 0; // at the last look
    bool changed = false; // since the last look
    bool first = true; // not read yet
    QSet<QByteArray> known{};
    QHash<QByteArray, zk::Zxid> creations{}; // of the known ones that could be read
};

EventFeed::EventFeed(Cluster cluster, OnEvent onEvent)
    : m_cluster(std::move(cluster)), m_onEvent(std::move(onEvent)), m_failure(m_cluster.zk.loop()),
      m_following([this](const std::exception_ptr &error) { m_failure.note(error); })
{
}

EventFeed::~EventFeed() = default;

async::Task<void> EventFeed::run()
{
    const auto tell = [this](Event event) { note(std::move(event)); };
    const auto onWaiting = [this](Event event) { m_following.spawn(followClaim(std::move(event))); };
    const auto onPresent = [this](const Event &event) { m_attempts.insert(*event.job, event.attempt); };
    follow(claimSource(m_cluster.layout, m_possibleWaiters, tell, onWaiting, onPresent), false);
    follow(doneSource(m_cluster.layout, tell), false);
    follow(memberSource(m_cluster.layout, tell), false);
    follow(cordonSource(m_cluster.layout, tell), false);
    follow(masterSource(m_cluster.layout, tell), false);
    const auto onQueue = [this](const QByteArray &queue, bool isNew) { followQueue(queue, isNew); };
    const auto onLimit = [this](const QByteArray &limit, bool isNew) {
        if (!text::isLockName(QString::fromUtf8(limit)))
            return; // a queue's
        const auto compare = std::bind_front(limitEvents, limit);
        m_following.spawn(followNode(m_cluster.layout.permits(limit), isNew, compare));
    };
    const auto onSchedule = [this](const QByteArray &schedule, bool isNew) {
        const auto compare = std::bind_front(scheduleEvents, schedule);
        m_following.spawn(followNode(m_cluster.layout.schedule(schedule), isNew, compare));
    };
    m_following.spawn(followNames(m_cluster.layout.queues(), onQueue));
    m_following.spawn(followNames(m_cluster.layout.limits(), onLimit));
    m_following.spawn(followNames(m_cluster.layout.schedules(), onSchedule));
    m_following.spawn(reportInOrder());
    co_await m_failure.thrown();
}

// A node that is created is new if others of its kind existed before: then its content is an event.
void EventFeed::follow(std::unique_ptr<EventSource> source, bool isNew)
{
    const auto followed = std::make_shared<Followed>();
    followed->source = std::move(source);
    followed->first = !isNew;
    m_followed.push_back(followed);
    const auto onChange = [this, followed](const zk::Children &children) {
        followed->names = children.names;
        followed->zxid = children.stat.pzxid;
        followed->changes = static_cast<quint32>(children.stat.cversion);
        m_latest = std::max(m_latest, followed->zxid);
        followed->changed = true;
        m_changed.set();
    };
    ++m_watches;
    m_following.spawn(recipes::followChildren(m_cluster.zk, followed->source->path, onChange));
}

void EventFeed::followQueue(const QByteArray &queue, bool isNew)
{
    const auto tell = [this](Event event) { note(std::move(event)); };
    follow(queueSource(m_cluster.layout, queue, m_possibleWaiters, tell), isNew);
    const auto compare = [this, queue](const zk::Node *before, const zk::Node *now) {
        if (now && QueueSettings::of(now->data).limit > 0)
            m_possibleWaiters.queues.insert(queue);
        else
            m_possibleWaiters.queues.remove(queue);
        return queueEvents(queue, before, now);
    };
    m_following.spawn(followNode(m_cluster.layout.queue(queue), isNew, compare));
}

// `onName` is called once for each name that is ever there; `isNew`: it has appeared since.
async::Task<void> EventFeed::followNames(zk::Path directory,
                                         std::function<void(const QByteArray &name, bool isNew)> onName)
{
    QSet<QByteArray> known;
    bool listed = false;
    const auto onChange = [&](const zk::Children &children) {
        m_latest = std::max(m_latest, children.stat.pzxid);
        for (const QByteArray &name : children.names) {
            if (known.contains(name))
                continue;
            known.insert(name);
            onName(name, listed);
        }
        listed = true;
    };
    ++m_watches;
    co_await recipes::followChildren(m_cluster.zk, std::move(directory), onChange);
}

// The first content of a node causes no event, unless the node `isNew`.
async::Task<void> EventFeed::followNode(zk::Path path, bool isNew, Compare compare)
{
    std::optional<zk::Node> before;
    bool tells = isNew;
    const auto onData = [&](const zk::Node *now) {
        std::vector<Event> events;
        if (before || now)
            events = compare(before ? &*before : nullptr, now);
        before = now ? std::optional(*now) : std::nullopt;
        if (std::exchange(tells, true))
            std::for_each(events.begin(), events.end(), [this](const Event &event) { note(event); });
    };
    ++m_watches;
    co_await recipes::followData(m_cluster.zk, std::move(path), onData);
}

// Until it runs, or the claim has gone.
async::Task<void> EventFeed::followClaim(Event claimed)
{
    async::Event over;
    QString reported = claimed.waits;
    const auto onClaim = [&](const zk::Node *node) {
        if (over.isSet())
            return;
        if (!node || node->stat.czxid != claimed.zxid) {
            over.set();
            return;
        }
        Event event = claimed;
        event.zxid = node->stat.mzxid;
        event.at = std::chrono::milliseconds(node->stat.mtime);
        const std::optional<Claim> claim = tryDecode<Claim>(node->data);
        if (!claim)
            return;
        event.waits = claim->waits;
        if (claim->waits.isEmpty() && !claim->prefetched) {
            event.kind = Event::Kind::Started;
            event.state = JobState::Running;
            note(event);
            over.set();
        } else if (!event.waits.isEmpty() && std::exchange(reported, event.waits) != event.waits) {
            event.kind = Event::Kind::Waits;
            note(event);
        }
    };
    co_await async::sleepFor(m_cluster.zk.loop(), ClaimPatience);
    co_await async::firstOf(m_cluster.zk.loop(), async::untilSet(over),
                            recipes::followData(m_cluster.zk, m_cluster.layout.claim(*claimed.job), onClaim));
}

// What has gone and come again, has gone before.
void EventFeed::note(Event event)
{
    for (Event &gone : m_noted) {
        if (gone.zxid == 0 && gone.isOfSameNode(event))
            gone.zxid = event.zxid;
    }
    m_latest = std::max(m_latest, event.zxid);
    m_noted.push_back(std::move(event));
    m_changed.set();
}

// Attempts are numbered, so a gap shows what was missed. A claimed job has not started yet.
void EventFeed::countUnseenStarts(Event &event)
{
    using Kind = Event::Kind;
    const Kind kind = event.kind;
    if (kind == Kind::Submitted)
        m_attempts.insert(*event.job, 0);
    if (kind != Kind::Started && kind != Kind::Failed && kind != Kind::Ended)
        return;
    const auto known = m_attempts.constFind(*event.job);
    if (known != m_attempts.cend())
        event.unseenStarts = std::max(0, event.attempt - *known - (kind == Kind::Started ? 1 : 0));
    if (kind == Kind::Ended)
        m_attempts.remove(*event.job);
    else
        m_attempts.insert(*event.job, event.attempt);
}

async::Task<void> EventFeed::readOnce(std::shared_ptr<Followed> followed)
{
    EventSource &source = *followed->source;
    followed->changed = false;
    const zk::Zxid upTo = followed->zxid;
    const quint32 changes = followed->changes - std::exchange(followed->changesRead, followed->changes);
    const QSet<QByteArray> present(followed->names.begin(), followed->names.end());
    const QSet<QByteArray> before = std::exchange(followed->known, present);
    const QByteArrayList appeared = (present - before).values();
    const QByteArrayList disappeared = (before - present).values();
    std::vector<zk::Path> paths;
    for (const QByteArray &name : appeared)
        paths.push_back(source.path / name);
    std::vector<std::size_t> counts; // of the evidence of each
    for (const QByteArray &name : disappeared) {
        const std::vector<zk::Path> evidence = source.evidencePaths(name);
        counts.push_back(evidence.size());
        paths.insert(paths.end(), evidence.begin(), evidence.end());
    }
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(m_cluster.zk, std::move(paths));
    auto node = nodes.begin();
    for (const QByteArray &name : appeared) {
        const Answer<zk::Node> &read = *node++;
        if (!read.ok())
            continue;
        followed->creations.insert(name, read->stat.czxid);
        source.appeared(name, *read, followed->first);
    }
    for (qsizetype i = 0; i < disappeared.size(); ++i) {
        std::vector<bool> found;
        while (found.size() < counts[static_cast<std::size_t>(i)])
            found.push_back((node++)->ok());
        followed->creations.remove(disappeared[i]);
        source.disappeared(disappeared[i], found, upTo);
    }
    const bool hasMore = changes > static_cast<quint32>(appeared.size() + disappeared.size());
    if (hasMore && !followed->first && source.tellsReturns())
        co_await readReturned(followed, (present & before).values());
    source.readDone(followed->first, upTo);
    followed->first = false;
}

// The names do not show what has gone and come again, but there were more changes than they show.
async::Task<void> EventFeed::readReturned(std::shared_ptr<Followed> followed, QByteArrayList stayed)
{
    EventSource &source = *followed->source;
    std::vector<zk::Path> paths;
    for (const QByteArray &name : stayed)
        paths.push_back(source.path / name);
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(m_cluster.zk, std::move(paths));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const QByteArray &name = stayed[static_cast<qsizetype>(i)];
        if (!nodes[i].ok() || followed->creations.value(name) == nodes[i]->stat.czxid)
            continue;
        std::vector<zk::Path> evidence = source.evidencePaths(name);
        const std::vector<Answer<zk::Node>> shown = co_await readNodes(m_cluster.zk, std::move(evidence));
        std::vector<bool> found;
        for (const Answer<zk::Node> &one : shown)
            found.push_back(one.ok());
        followed->creations.insert(name, nodes[i]->stat.czxid);
        source.disappeared(name, found, nodes[i]->stat.czxid - 1);
        source.appeared(name, *nodes[i], false);
    }
}

// Queues come last, but what they know of a job is needed when its claim is looked at.
async::Task<void> EventFeed::reportInOrder()
{
    for (;;) {
        co_await m_changed.wait();
        co_await async::sleepFor(m_cluster.zk.loop(), Moment);
        m_changed.reset();
        const async::TimePoint begin = m_cluster.zk.loop().now();
        const std::vector<std::shared_ptr<Followed>> followed(m_followed.rbegin(), m_followed.rend());
        for (const std::shared_ptr<Followed> &one : followed) {
            if (one->changed)
                co_await readOnce(one);
        }
        std::vector<Event> events = std::exchange(m_noted, {});
        for (Event &event : events) {
            if (event.zxid == 0) // of a node that has gone
                event.zxid = m_latest;
        }
        std::stable_sort(events.begin(), events.end(), [](const Event &a, const Event &b) { return a.zxid < b.zxid; });
        for (Event &event : events) {
            countUnseenStarts(event);
            m_onEvent(event);
        }
        const async::Duration taken = m_cluster.zk.loop().now() - begin;
        co_await async::sleepFor(m_cluster.zk.loop(), Pause(taken));
    }
}

} // namespace drover::jobs
