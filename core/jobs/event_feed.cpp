#include "jobs/event_feed.h"

#include "jobs/read_nodes.h"
#include "recipes/follow.h"
#include "recipes/line.h"

#include <array>

namespace drover::jobs {

using namespace std::chrono_literals;
using zk::Answer;

namespace {

constexpr auto ShortestPause = 100ms; // between two looks at a directory
constexpr int PausePerLook = 4; // in the time that the last one took

constexpr std::array Names{"submitted", "moved",         "started",     "stopped",
                           "ended",     "worker-joined", "worker-left", "master-elected"};

std::chrono::milliseconds timeOf(const zk::Stat &stat)
{
    return std::chrono::milliseconds(stat.ctime);
}

} // namespace

QString kindName(Event::Kind kind)
{
    return QLatin1String(Names[static_cast<std::size_t>(kind)]);
}

// What the children of one directory mean.
class EventFeed::Directory
{
public:
    Directory(zk::Path place, OnEvent onEvent) : path(std::move(place)), tell(std::move(onEvent)) { }
    virtual ~Directory() = default;

    // `first`: it was there at the beginning. What is true for more than its event is noted either way.
    virtual void come(const QByteArray &name, const zk::Node &node, bool first) = 0;
    // `traceFound`: there is such a node as traceOf() says.
    virtual void gone(const QByteArray &name, bool traceFound)
    {
        Q_UNUSED(name)
        Q_UNUSED(traceFound)
    }
    // After all that has come and gone.
    virtual void looked(bool first) { Q_UNUSED(first) }
    virtual zk::Path traceOf(const QByteArray &name) const { return path / name; }

    const zk::Path path;

protected:
    const OnEvent tell;
};

class EventFeed::Queue final : public Directory
{
public:
    using Directory::Directory;

    void come(const QByteArray &name, const zk::Node &node, bool first) override
    {
        const std::optional<QueueEntry> entry = QueueEntry::parse(name);
        if (!entry)
            return;
        Event event;
        event.job = entry->idIn(path.name());
        event.kind = m_jobs.contains(event.job->inQueue()) ? Event::Kind::Moved : Event::Kind::Submitted;
        m_jobs[event.job->inQueue()] = name;
        if (first)
            return;
        event.at = timeOf(node.stat);
        event.state = unclaimedState(entry->jobClass);
        event.priority = entry->priority;
        try {
            event.name = JobSpec::decode(node.data, path.name(), entry->priority).title();
        } catch (const Malformed &) {
            // It has no name.
        }
        tell(event);
    }

    void gone(const QByteArray &name, bool) override
    {
        const std::optional<QueueEntry> entry = QueueEntry::parse(name);
        if (!entry)
            return;
        const qint64 job = entry->idIn(path.name()).inQueue();
        if (m_jobs.value(job) == name) // not if it has been moved
            m_jobs.remove(job);
    }

private:
    QHash<qint64, QByteArray> m_jobs; // the entry of each
};

class EventFeed::Claims final : public Directory
{
public:
    Claims(const Layout &layout, OnEvent onEvent)
        : Directory(layout.claims(), std::move(onEvent)), m_done(layout.done())
    {
    }

    void come(const QByteArray &name, const zk::Node &node, bool first) override
    {
        Event event;
        event.kind = Event::Kind::Started;
        event.at = timeOf(node.stat);
        event.job = JobId::parse(QString::fromUtf8(name));
        event.state = JobState::Running;
        try {
            const Claim claim = Claim::decode(node.data);
            event.worker = claim.worker;
            event.attempt = claim.attempt;
        } catch (const Malformed &) {
            // Somebody else's.
        }
        m_running[name] = event;
        if (!first && event.job)
            tell(event);
    }

    // A claim that goes with its job's end is told by the record.
    zk::Path traceOf(const QByteArray &name) const override { return m_done / name; }
    void gone(const QByteArray &name, bool traceFound) override
    {
        Event event = m_running.take(name);
        event.kind = Event::Kind::Stopped;
        event.at = {};
        event.state = JobState::Ready;
        if (event.job && !traceFound)
            tell(event);
    }

private:
    zk::Path m_done;
    QHash<QByteArray, Event> m_running;
};

class EventFeed::Done final : public Directory
{
public:
    using Directory::Directory;

    void come(const QByteArray &name, const zk::Node &node, bool first) override
    {
        Event event;
        event.kind = Event::Kind::Ended;
        event.at = timeOf(node.stat);
        event.job = JobId::parse(QString::fromUtf8(name));
        if (first || !event.job)
            return;
        try {
            event.record = FinalRecord::decode(node.data, *event.job);
            event.state = event.record->state();
            event.attempt = event.record->attempt;
            event.worker = event.record->worker;
            event.name = event.record->name.isEmpty() ? event.record->command.value(0) : event.record->name;
        } catch (const Malformed &) {
            event.state = JobState::Failed; // as it is shown
        }
        tell(event);
    }
};

class EventFeed::Members final : public Directory
{
public:
    using Directory::Directory;

    void come(const QByteArray &name, const zk::Node &node, bool first) override
    {
        if (!first)
            tell(about(Event::Kind::WorkerJoined, name, timeOf(node.stat)));
    }
    void gone(const QByteArray &name, bool) override { tell(about(Event::Kind::WorkerLeft, name, 0ms)); }

private:
    static Event about(Event::Kind kind, const QByteArray &worker, std::chrono::milliseconds at)
    {
        Event event;
        event.kind = kind;
        event.at = at;
        event.worker = QString::fromUtf8(worker);
        return event;
    }
};

class EventFeed::Masters final : public Directory
{
public:
    using Directory::Directory;

    void come(const QByteArray &name, const zk::Node &node, bool) override
    {
        m_candidates[name] = QString::fromUtf8(node.data);
    }
    void gone(const QByteArray &name, bool) override { m_candidates.remove(name); }
    void looked(bool first) override
    {
        const QByteArrayList line = recipes::inOrder(m_candidates.keys());
        const QByteArray leader = line.value(0);
        if (std::exchange(m_leader, leader) == leader || first || leader.isEmpty())
            return;
        Event event;
        event.kind = Event::Kind::MasterElected;
        event.worker = m_candidates.value(leader);
        tell(event);
    }

private:
    QHash<QByteArray, QString> m_candidates;
    QByteArray m_leader;
};

EventFeed::EventFeed(zk::Coordinator &zk, Layout layout, OnEvent onEvent)
    : m_zk(zk), m_layout(std::move(layout)), m_onEvent(std::move(onEvent)), m_failure(zk.loop()),
      m_following([this](const std::exception_ptr &error) { m_failure.note(error); })
{
}

EventFeed::~EventFeed() = default;

async::Task<void> EventFeed::run()
{
    m_following.spawn(follow(std::make_unique<Done>(m_layout.done(), m_onEvent)));
    m_following.spawn(follow(std::make_unique<Claims>(m_layout, m_onEvent)));
    m_following.spawn(follow(std::make_unique<Members>(m_layout.members(), m_onEvent)));
    m_following.spawn(follow(std::make_unique<Masters>(m_layout.master(), m_onEvent)));
    const auto onQueues = [this](const zk::Children &queues) { followQueues(queues); };
    m_following.spawn(recipes::followChildren(m_zk, m_layout.queues(), onQueues));
    co_await m_failure.thrown();
}

void EventFeed::followQueues(const zk::Children &queues)
{
    for (const QByteArray &queue : queues.names) {
        if (m_queues.contains(queue))
            continue;
        m_queues.insert(queue);
        m_following.spawn(follow(std::make_unique<Queue>(m_layout.queue(queue), m_onEvent)));
    }
}

async::Task<void> EventFeed::follow(std::unique_ptr<Directory> directory)
{
    async::Event changed;
    QByteArrayList names;
    const auto onChange = [&](const zk::Children &children) {
        names = children.names;
        changed.set();
    };
    async::TaskGroup listing([this](const std::exception_ptr &error) { m_failure.note(error); });
    listing.spawn(recipes::followChildren(m_zk, directory->path, onChange));
    QSet<QByteArray> known;
    bool first = true;
    for (;;) {
        co_await changed.wait();
        changed.reset();
        const async::TimePoint begin = m_zk.loop().now();
        const QSet<QByteArray> present(names.begin(), names.end());
        const QSet<QByteArray> before = std::exchange(known, present);
        const QByteArrayList come = (present - before).values();
        const QByteArrayList gone = (before - present).values();
        std::vector<zk::Path> paths;
        for (const QByteArray &name : come)
            paths.push_back(directory->path / name);
        for (const QByteArray &name : gone)
            paths.push_back(directory->traceOf(name));
        const std::vector<Answer<zk::Node>> nodes = co_await readNodes(m_zk, std::move(paths));
        auto node = nodes.begin();
        for (const QByteArray &name : come) {
            if (const Answer<zk::Node> &read = *node++; read.ok())
                directory->come(name, *read, first);
        }
        for (const QByteArray &name : gone)
            directory->gone(name, (node++)->ok());
        directory->looked(first);
        first = false;
        const async::Duration taken = m_zk.loop().now() - begin;
        co_await async::sleepFor(m_zk.loop(), std::max<async::Duration>(ShortestPause, PausePerLook * taken));
    }
}

} // namespace drover::jobs
