#include "workers/master/waiting/dependency_watcher.h"

#include "async/pause.h"
#include "recipes/blocks/persistent.h"
#include "workers/master/base/supervise.h"

#include <QSet>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using zk::Answer;

namespace {

constexpr auto UnknownPause = 5min; // between two looks for a job with an unknown end
// Between two looks for all that have no watch.
constexpr async::PauseAfter UnwatchedPause{.factor = 4, .shortest = 5s, .longest = 60s};
constexpr auto DeletedPause = 30s; // between two looks for those that have one, and were deleted by hand

bool isFinal(DependencyWatcher::State state)
{
    return state != DependencyWatcher::State::Open && state != DependencyWatcher::State::Begun;
}

} // namespace

// Of a task that follows one. What it leaves is for the next.
class DependencyWatcher::Place
{
public:
    explicit Place(DependencyWatcher &ends) : m_dependencies(ends) { ++m_dependencies.m_watched; }
    ~Place()
    {
        --m_dependencies.m_watched;
        m_dependencies.watchSomeSoon();
    }
    Place(const Place &) = delete;
    Place &operator=(const Place &) = delete;

private:
    DependencyWatcher &m_dependencies;
};

DependencyWatcher::DependencyWatcher(jobs::Cluster cluster, MasterHistory *history,
                                     std::function<void(const jobs::JobId &id)> onChange)
    : m_cluster(std::move(cluster)), m_observer(m_cluster, history), m_onChange(std::move(onChange)),
      m_checking([](const std::exception_ptr &) {}),
      m_looking([](const std::exception_ptr &) {}) // the session's end, which the master hears of elsewhere
{
}

DependencyWatcher::State DependencyWatcher::stateOf(const jobs::JobId &id, Milestone milestone, bool waits)
{
    const auto [entry, isNew] = m_followed.try_emplace(id);
    Followed &followed = entry->second;
    const bool asksMore = milestone == Milestone::Begun && !followed.asBegun && !isFinal(followed.state);
    if (isNew)
        followed.at = id;
    if (m_checking.empty())
        m_checking.spawn(keepChecking());
    if (isNew || asksMore) {
        m_unwatched.erase({followed.waits, id});
        followed.task.reset();
        followed.asBegun = milestone == Milestone::Begun;
        followed.waits = waits;
        m_unwatched.emplace(waits, id);
        watchSome();
    }
    return followed.state;
}

void DependencyWatcher::noLongerWaits(const jobs::JobId &id)
{
    const auto followed = m_followed.find(id);
    if (followed == m_followed.end() || !std::exchange(followed->second.waits, false))
        return;
    if (m_unwatched.erase({true, id}) > 0) {
        m_unwatched.emplace(false, id);
        watchSome();
    }
}

void DependencyWatcher::forget(const jobs::JobId &id)
{
    const auto followed = m_followed.find(id);
    if (followed == m_followed.end())
        return;
    m_unwatched.erase({followed->second.waits, id});
    m_followed.erase(followed);
}

void DependencyWatcher::watchSome()
{
    while (!m_unwatched.empty()) {
        const auto [waits, id] = *m_unwatched.begin();
        if (m_watched >= (waits ? MaxWatchedThatWait : MaxWatched))
            break;
        m_unwatched.erase(m_unwatched.begin());
        watch(id);
    }
    if (!m_unwatched.empty() && m_looking.empty())
        m_looking.spawn(keepLooking());
}

void DependencyWatcher::watchSomeSoon()
{
    if (m_unwatched.empty())
        return;
    m_guard.post(m_cluster.zk.loop(), [this] { watchSome(); });
}

async::Task<void> DependencyWatcher::keepLooking()
{
    const auto look = [this] { return lookForUnwatched(); };
    co_await superviseWatch(m_cluster.zk, QStringLiteral("not all ends of jobs are seen"), look);
}

async::Task<void> DependencyWatcher::lookForUnwatched()
{
    async::Duration pause = UnwatchedPause.shortest;
    while (!m_unwatched.empty()) {
        co_await async::sleepFor(m_cluster.zk.loop(), pause);
        const async::TimePoint begin = m_cluster.zk.loop().now();
        std::map<QByteArray, std::vector<jobs::JobId>> queues;
        for (const auto &[waits, id] : m_unwatched)
            queues[whereIs(id).queue].push_back(id);
        for (auto &[queue, ids] : queues)
            co_await lookForThoseOf(queue, std::move(ids));
        pause = UnwatchedPause(m_cluster.zk.loop().now() - begin);
    }
}

async::Task<void> DependencyWatcher::keepChecking()
{
    const auto look = [this] { return lookForDeleted(); };
    co_await superviseWatch(m_cluster.zk, QStringLiteral("jobs that are deleted by hand are not seen"), look);
}

// A job that is deleted by hand leaves no record: no watch tells.
async::Task<void> DependencyWatcher::lookForDeleted()
{
    for (;;) {
        co_await async::sleepFor(m_cluster.zk.loop(), DeletedPause);
        std::map<QByteArray, std::vector<jobs::JobId>> queues;
        for (const auto &[id, followed] : m_followed) {
            if (followed.task && !isFinal(followed.state))
                queues[followed.at.queue].push_back(id);
        }
        for (auto &[queue, ids] : queues)
            co_await lookForThoseOf(queue, std::move(ids));
    }
}

// What is not listed has ended, or is a task that has not been made yet, or has moved meanwhile.
async::Task<void> DependencyWatcher::lookForThoseOf(QByteArray queue, std::vector<jobs::JobId> ids)
{
    const Answer<zk::Children> listed =
        co_await recipes::Persistent(m_cluster.zk).children(m_cluster.layout.queue(queue));
    QSet<jobs::JobId> present;
    for (const QByteArray &name : listed->names) {
        if (const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name))
            present.insert(entry->idIn(queue));
    }
    for (const jobs::JobId &id : ids) {
        const auto followed = m_followed.find(id);
        if (followed == m_followed.end() || isFinal(followed->second.state))
            continue; // forgotten, or over meanwhile
        const bool watched = followed->second.task != nullptr;
        if (present.contains(whereIs(id)) && (watched || !isBeginAwaited(id)))
            continue;
        zk::Watch ended; // for this one look
        zk::Watch begins;
        const bool over = co_await look(id, ended, begins);
        if (over && watched && m_followed.contains(id))
            watch(id); // its task waits for a record that will not come
        if (over) {
            m_unwatched.erase({true, id});
            m_unwatched.erase({false, id});
        }
    }
}

// From the beginning, if it is watched already.
void DependencyWatcher::watch(const jobs::JobId &id)
{
    Followed &followed = m_followed.at(id);
    followed.task.reset();
    // What ends it is the session's end, which the master hears of elsewhere.
    followed.task = std::make_unique<async::TaskGroup>([](const std::exception_ptr &) {});
    followed.task->spawn(follow(id));
}

void DependencyWatcher::set(const jobs::JobId &id, State state)
{
    const auto followed = m_followed.find(id);
    if (followed == m_followed.end() || followed->second.state == state) // it may be forgotten while it is looked for
        return;
    followed->second.state = state;
    tellOf(id);
}

void DependencyWatcher::tellOf(const jobs::JobId &id)
{
    m_guard.post(m_cluster.zk.loop(), [this, id] { m_onChange(id); });
}

async::Task<void> DependencyWatcher::follow(jobs::JobId id)
{
    const Place place(*this);
    const QString meanwhile =
        QStringLiteral("jobs that wait for %1 go on waiting until it can be read").arg(id.toString());
    const auto look = [this, id] { return untilOver(id); };
    co_await superviseWatch(m_cluster.zk, meanwhile, look);
}

async::Task<void> DependencyWatcher::untilOver(jobs::JobId id)
{
    for (;;) {
        zk::Watch ended;
        zk::Watch begins;
        const jobs::JobId at = whereIs(id);
        const bool over = co_await look(id, ended, begins);
        if (over && !isUnknown(id))
            co_return;
        if (whereIs(id) != at)
            continue; // it was moved: look there
        if (over) {
            co_await async::sleepFor(m_cluster.zk.loop(), UnknownPause);
            continue;
        }
        const async::Future<zk::WatchEvent> onEnd = ended.fired();
        if (begins.armed() || begins.hasFired()) {
            const async::Future<zk::WatchEvent> onBegin = begins.fired();
            co_await async::anyReady(onEnd, onBegin);
        } else {
            co_await onEnd;
        }
    }
}

bool DependencyWatcher::isBeginAwaited(const jobs::JobId &id) const
{
    const auto followed = m_followed.find(id);
    return followed != m_followed.end() && followed->second.asBegun && followed->second.state != State::Begun;
}

// True once nothing more can become of it. False as well if it was moved: then it is elsewhere from now on.
async::Task<bool> DependencyWatcher::look(jobs::JobId id, zk::Watch &ended, zk::Watch &begins)
{
    const JobObserver::Sight seen = co_await m_observer.look(whereIs(id), isBeginAwaited(id), ended, begins);
    const auto followed = m_followed.find(id);
    if (seen.movedTo && followed != m_followed.end()) {
        followed->second.at = *seen.movedTo;
        tellOf(id);
    }
    if (seen.state)
        set(id, *seen.state);
    co_return seen.over;
}

} // namespace drover::workers
