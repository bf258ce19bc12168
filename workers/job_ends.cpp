#include "workers/job_ends.h"

#include "jobs/array_progress.h"
#include "jobs/gang.h"
#include "jobs/job_spec.h"
#include "jobs/read_nodes.h"
#include "recipes/persist.h"
#include "workers/keep_following.h"

#include <QSet>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using recipes::persist;
using zk::Answer;

namespace {

constexpr int Rounds = 3; // of looks at every name, after the one at the likely names
constexpr auto UnknownPause = 5min; // between two looks for what nobody knows
constexpr auto UnwatchedPause = 5s; // between two looks for all that have no watch
constexpr auto DeletedPause = 30s; // between two looks for those that have one, and were deleted by hand
constexpr int PausePerLook = 4; // in the time that the last one took

JobEnds::Fate fateOf(const jobs::FinalRecord &record)
{
    return record.state() == jobs::JobState::Succeeded ? JobEnds::Fate::Succeeded : JobEnds::Fate::Failed;
}

std::optional<jobs::FinalRecord> recordIn(const zk::Node &node, const jobs::JobId &id)
{
    try {
        return jobs::FinalRecord::decode(node.data, id);
    } catch (const jobs::Malformed &) {
        return std::nullopt;
    }
}

bool isFinal(JobEnds::Fate fate)
{
    return fate != JobEnds::Fate::Open && fate != JobEnds::Fate::Begun;
}

bool isArray(const zk::Node &node, const jobs::JobId &id)
{
    try {
        return jobs::JobSpec::decode(node.data, id.queue, 0).array.has_value();
    } catch (const jobs::Malformed &) {
        return false;
    }
}

// Whether the job with this claim runs; one that says nothing of it is taken for one that does.
bool hasBegun(const zk::Node &claim)
{
    try {
        return jobs::Claim::decode(claim.data).hasBegun();
    } catch (const jobs::Malformed &) {
        return true;
    }
}

// Whether a task of this array was unfolded, or the members of this gang have begun.
bool hasBegun(const zk::Node &node, const jobs::JobId &id)
{
    try {
        const jobs::JobSpec spec = jobs::JobSpec::decode(node.data, id.queue, 0);
        if (spec.gang > 0)
            return jobs::GangRounds::of(node.data).begunAt.count() > 0;
        return spec.array && jobs::ArrayProgress::of(node.data, *spec.array).begun();
    } catch (const jobs::Malformed &) {
        return false;
    }
}

} // namespace

// Of a task that follows one. What it leaves is for the next.
class JobEnds::Place
{
public:
    explicit Place(JobEnds &ends) : m_ends(ends) { ++m_ends.m_watched; }
    ~Place()
    {
        --m_ends.m_watched;
        m_ends.watchSomeSoon();
    }
    Place(const Place &) = delete;
    Place &operator=(const Place &) = delete;

private:
    JobEnds &m_ends;
};

JobEnds::JobEnds(zk::Coordinator &zk, jobs::Layout layout, HistoryReader *history,
                 std::function<void(const jobs::JobId &id)> onChange)
    : m_zk(zk), m_layout(std::move(layout)), m_history(history), m_onChange(std::move(onChange)),
      m_checking([](const std::exception_ptr &) {}),
      m_looking([](const std::exception_ptr &) {}) // the session's end, which the master hears of elsewhere
{
}

JobEnds::Fate JobEnds::of(const jobs::JobId &id, Until until, bool waits)
{
    const auto [entry, isNew] = m_followed.try_emplace(id);
    Followed &followed = entry->second;
    const bool asksMore = until == Until::Begun && !followed.asBegun && !isFinal(followed.fate);
    if (isNew)
        followed.at = id;
    if (m_checking.empty())
        m_checking.spawn(keepChecking());
    if (isNew || asksMore) {
        m_unwatched.erase({followed.waits, id});
        followed.task.reset();
        followed.asBegun = until == Until::Begun;
        followed.waits = waits;
        m_unwatched.emplace(waits, id);
        watchSome();
    }
    return followed.fate;
}

void JobEnds::noLongerWaits(const jobs::JobId &id)
{
    const auto followed = m_followed.find(id);
    if (followed == m_followed.end() || !std::exchange(followed->second.waits, false))
        return;
    if (m_unwatched.erase({true, id}) > 0) {
        m_unwatched.emplace(false, id);
        watchSome();
    }
}

void JobEnds::forget(const jobs::JobId &id)
{
    const auto followed = m_followed.find(id);
    if (followed == m_followed.end())
        return;
    m_unwatched.erase({followed->second.waits, id});
    m_followed.erase(followed);
}

void JobEnds::watchSome()
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

void JobEnds::watchSomeSoon()
{
    if (m_unwatched.empty())
        return;
    m_zk.loop().post([this, alive = std::weak_ptr(m_alive)] {
        if (!alive.expired())
            watchSome();
    });
}

async::Task<void> JobEnds::keepLooking()
{
    const auto look = [this] { return lookForUnwatched(); };
    co_await keepFollowing(m_zk, QStringLiteral("not all ends of jobs are seen"), look);
}

async::Task<void> JobEnds::lookForUnwatched()
{
    async::Duration pause = UnwatchedPause;
    while (!m_unwatched.empty()) {
        co_await async::sleepFor(m_zk.loop(), pause);
        const async::TimePoint begin = m_zk.loop().now();
        std::map<QByteArray, std::vector<jobs::JobId>> queues;
        for (const auto &[waits, id] : m_unwatched)
            queues[whereIs(id).queue].push_back(id);
        for (auto &[queue, ids] : queues)
            co_await lookForThoseOf(queue, std::move(ids));
        pause = std::max<async::Duration>(UnwatchedPause, PausePerLook * (m_zk.loop().now() - begin));
    }
}

async::Task<void> JobEnds::keepChecking()
{
    const auto look = [this] { return lookForDeleted(); };
    co_await keepFollowing(m_zk, QStringLiteral("jobs that are deleted by hand are not seen"), look);
}

// A job that is deleted by hand leaves no record: no watch tells.
async::Task<void> JobEnds::lookForDeleted()
{
    for (;;) {
        co_await async::sleepFor(m_zk.loop(), DeletedPause);
        std::map<QByteArray, std::vector<jobs::JobId>> queues;
        for (const auto &[id, followed] : m_followed) {
            if (followed.task && !isFinal(followed.fate))
                queues[followed.at.queue].push_back(id);
        }
        for (auto &[queue, ids] : queues)
            co_await lookForThoseOf(queue, std::move(ids));
    }
}

// What is not listed has ended, or is a task that has not been made yet, or has moved meanwhile.
async::Task<void> JobEnds::lookForThoseOf(QByteArray queue, std::vector<jobs::JobId> ids)
{
    const zk::Path path = m_layout.queue(queue);
    const auto list = [&] { return m_zk.children(path); };
    const Answer<zk::Children> listed = co_await persist(m_zk, list);
    QSet<jobs::JobId> present;
    for (const QByteArray &name : listed->names) {
        if (const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name))
            present.insert(entry->idIn(queue));
    }
    for (const jobs::JobId &id : ids) {
        const auto followed = m_followed.find(id);
        if (followed == m_followed.end() || isFinal(followed->second.fate))
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
void JobEnds::watch(const jobs::JobId &id)
{
    Followed &followed = m_followed.at(id);
    followed.task.reset();
    // What ends it is the session's end, which the master hears of elsewhere.
    followed.task = std::make_unique<async::TaskGroup>([](const std::exception_ptr &) {});
    followed.task->spawn(follow(id));
}

void JobEnds::set(const jobs::JobId &id, Fate fate)
{
    const auto followed = m_followed.find(id);
    if (followed == m_followed.end() || followed->second.fate == fate) // it may be forgotten while it is looked for
        return;
    followed->second.fate = fate;
    tellOf(id);
}

void JobEnds::tellOf(const jobs::JobId &id)
{
    m_zk.loop().post([this, id, alive = std::weak_ptr(m_alive)] {
        if (!alive.expired())
            m_onChange(id);
    });
}

async::Task<void> JobEnds::follow(jobs::JobId id)
{
    const Place place(*this);
    const QString meanwhile =
        QStringLiteral("what waits for %1 goes on waiting until it can be looked at").arg(id.toString());
    const auto look = [this, id] { return untilOver(id); };
    co_await keepFollowing(m_zk, meanwhile, look);
}

async::Task<void> JobEnds::untilOver(jobs::JobId id)
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
            co_await async::sleepFor(m_zk.loop(), UnknownPause);
            continue;
        }
        const async::Future<zk::WatchEvent> onEnd = ended.fired();
        if (begins.armed() || begins.hasFired()) {
            const async::Future<zk::WatchEvent> onBegin = begins.fired();
            co_await async::eitherReady(onEnd, onBegin);
        } else {
            co_await onEnd;
        }
    }
}

bool JobEnds::isBeginAwaited(const jobs::JobId &id) const
{
    const auto followed = m_followed.find(id);
    return followed != m_followed.end() && followed->second.asBegun && followed->second.fate != Fate::Begun;
}

// False if the record does not say that the job was moved.
bool JobEnds::moveOn(const jobs::JobId &id, const jobs::FinalRecord &record)
{
    const auto followed = m_followed.find(id);
    if (record.movedTo && followed != m_followed.end()) {
        followed->second.at = *record.movedTo;
        tellOf(id);
    }
    return record.movedTo.has_value();
}

// True once nothing more can become of it. False as well if it was moved: then it is elsewhere from now on.
async::Task<bool> JobEnds::look(jobs::JobId id, zk::Watch &ended, zk::Watch &begins)
{
    const jobs::JobId at = whereIs(id);
    const zk::Path done = m_layout.done(at);
    const zk::Path claim = m_layout.claim(at);
    const auto lookForEnd = [&] { return m_zk.exists(done, ended); };
    const auto lookForClaim = [&] { return m_zk.exists(claim, begins); };
    const auto readClaim = [&] { return m_zk.get(claim); };
    bool begun = false;
    const Answer<zk::Stat> end = co_await persist(m_zk, lookForEnd);
    if (isBeginAwaited(id)) {
        const Answer<zk::Stat> claimed = co_await persist(m_zk, lookForClaim);
        if (claimed.ok()) {
            const Answer<zk::Node> node = co_await persist(m_zk, readClaim);
            begun = node.ok() && hasBegun(*node);
        }
    }
    std::vector<jobs::QueueEntry> entries = jobs::QueueEntry::likely(at);
    for (int round = 0; round <= Rounds; ++round) { // one that moves within its queue may be missed once
        std::vector<zk::Path> paths; // the record after the job: it moves from the one to the other
        for (const jobs::QueueEntry &entry : entries)
            paths.push_back(m_layout.job(at.queue, entry));
        paths.push_back(done);
        const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_zk, paths);
        const Answer<zk::Node> &record = nodes.back();
        if (record.ok()) {
            const std::optional<jobs::FinalRecord> last = recordIn(*record, at);
            if (last && moveOn(id, *last))
                co_return false;
            set(id, last ? fateOf(*last) : Fate::Failed); // as one that cannot be read is shown
            co_return true;
        }
        const bool isQueued = std::any_of(nodes.begin(), nodes.end(),
                                          [](const Answer<zk::Node> &node) { return !node.is(zk::Code::NoNode); });
        if (isQueued) {
            if (begun)
                set(id, Fate::Begun);
            const auto array = std::find_if(nodes.begin(), nodes.end(), [&](const Answer<zk::Node> &node) {
                return node.ok() && isArray(*node, id);
            });
            if (array == nodes.end() || !isBeginAwaited(id)) // its further progress is none of ours
                co_return false;
            const bool watched =
                co_await lookAtArray(id, paths[static_cast<std::size_t>(array - nodes.begin())], begins);
            if (watched)
                co_return false;
            co_return co_await look(id, ended, begins); // it has moved
        }
        entries = jobs::QueueEntry::candidates(at);
    }
    co_return co_await askHistory(id);
}

// False if it is no longer there. A beginning that follows the read fires the watch.
async::Task<bool> JobEnds::lookAtArray(jobs::JobId id, zk::Path node, zk::Watch &begins)
{
    const auto watch = [&] { return m_zk.exists(node, begins); };
    const auto read = [&] { return m_zk.get(node); };
    const Answer<zk::Stat> there = co_await persist(m_zk, watch);
    if (!there.ok())
        co_return false;
    const Answer<zk::Node> array = co_await persist(m_zk, read);
    if (array.ok() && hasBegun(*array, id))
        set(id, Fate::Begun);
    co_return true;
}

// Until it tells; returns as look(). What it has to say of its trouble HistoryReader does.
async::Task<bool> JobEnds::askHistory(jobs::JobId id)
{
    const zk::Path root = m_layout.root();
    const auto see = [&] { return m_zk.exists(root); };
    history::Query query;
    query.cluster = m_layout.cluster();
    query.ids = std::vector<jobs::JobId>(1, whereIs(id));
    query.limit = 1;
    while (m_history) {
        const Answer<zk::Stat> made = co_await persist(m_zk, see);
        if (made.ok()) // it may know jobs of an earlier cluster of that name
            query.since = std::chrono::milliseconds(made->ctime);
        try {
            const history::Page page = co_await m_history->query(query);
            if (!page.entries.empty() && moveOn(id, page.entries.front().record))
                co_return false;
            set(id, page.entries.empty() ? Fate::Unknown : fateOf(page.entries.front().record));
            co_return true;
        } catch (const history::HistoryError &) {
        }
        co_await async::sleepFor(m_zk.loop(), HistoryReader::RetryPause);
    }
    set(id, Fate::Forgotten);
    co_return true;
}

} // namespace drover::workers
