#include "workers/master/waiting/same_name_jobs.h"

#include "async/first_of.h"
#include "async/pause.h"
#include "jobs/client/job_control.h"
#include "jobs/client/job_lookup.h"
#include "jobs/cluster/read_nodes.h"
#include "jobs/model/job_spec.h"
#include "recipes/blocks/persistent.h"
#include "workers/master/base/supervise.h"

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using jobs::JobId;
using jobs::QueueEntry;
using zk::Answer;

namespace {

// Between two listings of a queue, with what was read.
constexpr async::PauseAfter ListingPause{.factor = 4, .shortest = 20ms};

const QString Subject = QStringLiteral("singletons of queue %1");

QString subjectOf(const QByteArray &queue)
{
    return Subject.arg(QString::fromUtf8(queue));
}

QString mayNotBeRead(const JobId &id)
{
    return QStringLiteral("job %1 may not be read and may have their name: those after it wait until it can be read, "
                          "or has gone")
        .arg(id.toString());
}

QString isNewer(const JobId &id, const jobs::NewerFormat &error)
{
    return QStringLiteral("job %1 may have their name, and those after it wait: %2")
        .arg(id.toString(), QString::fromUtf8(error.what()));
}

QString isOnItsWay(const zk::Path &reservation)
{
    return QStringLiteral("%1 reserves a number for a job that another client moves here: those after it wait until it "
                          "has come, or that client's session has ended")
        .arg(reservation.toString());
}

} // namespace

SameNameJobs::SameNameJobs(jobs::Cluster cluster, DutyTroubles &troubles,
                           std::function<void(const QByteArray &queue)> onRead)
    : m_cluster(std::move(cluster)), m_troubles(troubles), m_onRead(std::move(onRead))
{
}

void SameNameJobs::Reading::endBefore(qint32 number, const QString &why, bool passes)
{
    if (number > known)
        return;
    known = number - 1;
    obstacle = why;
    passesSoon = passes;
}

void SameNameJobs::drop(const QByteArray &queue)
{
    m_troubles.clear(subjectOf(queue));
    m_queues.erase(queue);
}

SameNameJobs::Earlier SameNameJobs::before(const JobId &id, const QString &name)
{
    Queue &queue = m_queues[id.queue];
    if (id.number > queue.read) {
        queue.wanted = std::max(queue.wanted, id.number);
        beginReading(queue, id.queue);
        return {};
    }
    const auto numbers = queue.numbers.find(name);
    if (numbers == queue.numbers.end())
        return {true, std::nullopt};
    const auto next = numbers->second.lower_bound(id.number);
    if (next == numbers->second.begin())
        return {true, std::nullopt};
    const qint32 latest = *std::prev(next);
    if (queue.doubted.contains(latest)) {
        queue.doubt.set();
        beginReading(queue, id.queue);
        return {};
    }
    return {true, JobId{id.queue, latest}};
}

void SameNameJobs::forget(const JobId &id)
{
    const auto found = m_queues.find(id.queue);
    if (found == m_queues.end())
        return;
    Queue &queue = found->second;
    const auto name = queue.names.find(id.number);
    if (name == queue.names.end())
        return;
    const std::set<qint32> &numbers = queue.numbers.at(name->second);
    const auto number = numbers.find(id.number);
    if (number != numbers.begin())
        queue.doubted.insert(*std::prev(number)); // it may have ended long before this one
    remove(queue, id.number);
}

void SameNameJobs::remove(Queue &queue, qint32 number)
{
    const auto name = queue.names.find(number);
    const auto numbers = queue.numbers.find(name->second);
    numbers->second.erase(number);
    if (numbers->second.empty())
        queue.numbers.erase(numbers);
    queue.names.erase(name);
    queue.doubted.erase(number);
}

void SameNameJobs::beginReading(Queue &queue, const QByteArray &name)
{
    if (!queue.reading)
        queue.reading = std::make_unique<async::TaskGroup>([](const std::exception_ptr &) {}); // the session's end
    if (queue.reading->empty())
        queue.reading->spawn(readWanted(name));
}

async::Task<void> SameNameJobs::readWanted(QByteArray name)
{
    co_await async::sleepFor(m_cluster.zk.loop(), 0ms); // the answer never comes from within the question
    Queue &queue = m_queues.at(name); // owns this task
    while (queue.wanted > queue.read || !queue.doubted.empty() || queue.showsEnds) {
        const qint32 last = queue.wanted;
        const async::TimePoint begin = m_cluster.zk.loop().now();
        queue.doubt.reset();
        async::Duration pause{};
        try {
            const Reading reading = co_await readUpTo(name, last);
            pause = accept(name, last, reading);
        } catch (const zk::SessionLost &) {
            throw;
        } catch (const zk::ConnectionLoss &) {
        } catch (const std::exception &error) {
            pause = fail(name,
                         QStringLiteral("they wait, as the jobs before them are not known: %1")
                             .arg(QString::fromUtf8(error.what())));
        }
        const async::Duration taken = m_cluster.zk.loop().now() - begin;
        co_await async::sleepFor(m_cluster.zk.loop(), ListingPause(taken));
        if (pause > 0s)
            co_await async::firstOf(m_cluster.zk.loop(), async::untilSet(queue.doubt),
                                    async::asTask(async::sleepFor(m_cluster.zk.loop(), pause)));
        co_await m_cluster.zk.connected();
    }
}

// Says how long to wait with the next reading. A move takes a moment, unless its client has stopped.
async::Duration SameNameJobs::accept(const QByteArray &name, qint32 last, const Reading &reading)
{
    Queue &queue = m_queues.at(name);
    setRead(name, reading);
    const async::TimePoint now = m_cluster.zk.loop().now();
    const qint32 obstacle = reading.known + 1;
    if (std::exchange(queue.obstacle, obstacle) != obstacle)
        queue.obstacleSince = now;
    if (reading.known == last)
        m_troubles.clear(subjectOf(name));
    if (reading.obstacle.isEmpty() || (reading.passesSoon && now - queue.obstacleSince < RetryPause))
        return {};
    return fail(name, reading.obstacle);
}

async::Duration SameNameJobs::fail(const QByteArray &name, const QString &why)
{
    m_troubles.note(subjectOf(name), why, Subject);
    return RetryPause;
}

void SameNameJobs::setRead(const QByteArray &name, const Reading &reading)
{
    Queue &queue = m_queues.at(name);
    const bool showsEnds = std::exchange(queue.showsEnds, false);
    const bool isNews = reading.known > queue.read || showsEnds || !queue.doubted.empty();
    queue.read = std::max(queue.read, reading.known);
    queue.doubted.clear(); // the remaining ones existed a moment ago
    if (isNews)
        m_guard.post(m_cluster.zk.loop(), [this, name] { m_onRead(name); });
}

async::Task<SameNameJobs::Reading> SameNameJobs::readUpTo(QByteArray name, qint32 last)
{
    const zk::Path directory = m_cluster.layout.queue(name);
    const Answer<zk::Children> listed = co_await recipes::Persistent(m_cluster.zk).children(directory);
    Queue &queue = m_queues.at(name);
    QSet<qint32> present;
    Places unknown;
    for (const QueueEntry &entry : jobs::jobsUpTo(listed->names, last)) {
        present.insert(entry.number);
        if (!queue.names.contains(entry.number))
            unknown.emplace_back(entry.number, m_cluster.layout.job(name, entry));
    }
    Places reserved;
    for (const QByteArray &node : listed->names) {
        if (jobs::reservesNumber(node, last))
            reserved.emplace_back(*zk::sequenceOf(node), directory / node);
    }
    queue.showsEnds |= retain(queue, present); // also if the rest fails
    Reading reading{last};
    co_await readNames(name, std::move(unknown), reading);
    co_await findReservation(std::move(reserved), reading);
    co_return reading;
}

// In the order of their numbers. Another client may have made thousands that may not be read: the first is enough.
async::Task<void> SameNameJobs::readNames(QByteArray name, Places unknown, Reading &reading)
{
    std::sort(unknown.begin(), unknown.end());
    for (std::size_t begin = 0; begin < unknown.size() && reading.obstacle.isEmpty(); begin += jobs::Flight) {
        const std::size_t end = std::min(begin + jobs::Flight, unknown.size());
        std::vector<zk::Path> paths;
        for (std::size_t i = begin; i < end; ++i)
            paths.push_back(unknown[i].second);
        const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_cluster.zk, std::move(paths));
        for (std::size_t i = begin; i < end; ++i) {
            const Answer<zk::Node> &node = nodes[i - begin];
            if (node.ok())
                noteName(name, unknown[i].first, node->data, reading);
            else
                reading.endBefore(unknown[i].first,
                                  node.is(zk::Code::NoNode) ? QString() : mayNotBeRead({name, unknown[i].first}));
        }
    }
}

// A reservation goes with the session of who moves that job. A node of such a name that stays would be another
// program's, and would keep singletons for ever. One that has gone since it was listed may have made way for its job.
// Looking at it needs no right.
async::Task<void> SameNameJobs::findReservation(Places reserved, Reading &reading)
{
    std::sort(reserved.begin(), reserved.end());
    for (std::size_t begin = 0; begin < reserved.size() && reserved[begin].first <= reading.known;
         begin += jobs::Flight) {
        const std::size_t end = std::min(begin + jobs::Flight, reserved.size());
        std::vector<zk::Reply<zk::Stat>> looking;
        for (std::size_t i = begin; i < end; ++i)
            looking.push_back(m_cluster.zk.exists(reserved[i].second));
        for (std::size_t i = begin; i < end; ++i) {
            const Answer<zk::Stat> there = co_await looking[i - begin];
            if (!there.ok())
                reading.endBefore(reserved[i].first);
            else if (there->ephemeralOwner != 0)
                reading.endBefore(reserved[i].first, isOnItsWay(reserved[i].second), true);
        }
    }
}

void SameNameJobs::noteName(const QByteArray &name, qint32 number, const QByteArray &stored, Reading &reading)
{
    QString title; // of a malformed job, which never runs: none
    try {
        title = jobs::JobSpec::decode(stored, name, 0).title();
    } catch (const jobs::NewerFormat &error) {
        return reading.endBefore(number, isNewer({name, number}, error));
    } catch (const jobs::Malformed &) {
    }
    Queue &queue = m_queues.at(name);
    if (queue.names.emplace(number, title).second) // another program may have made two of one number
        queue.numbers[title].insert(number);
}

// The others have ended. Returns whether there are any.
bool SameNameJobs::retain(Queue &queue, const QSet<qint32> &present)
{
    std::vector<qint32> gone;
    for (const auto &[number, title] : queue.names) {
        if (!present.contains(number))
            gone.push_back(number);
    }
    for (const qint32 number : gone)
        remove(queue, number);
    return !gone.empty();
}

} // namespace drover::workers
