#include "workers/master/waiting/same_name_jobs.h"

#include "async/pause.h"
#include "jobs/client/job_control.h"
#include "jobs/client/job_lookup.h"
#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/persistent.h"
#include "workers/master/base/supervise.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using jobs::JobId;
using jobs::QueueEntry;
using zk::Answer;

Q_LOGGING_CATEGORY(lcSameNameJobs, "drover.workers.same_name_jobs")

namespace {

// Between two listings of a queue, with what was read.
constexpr async::PauseAfter ListingPause{.factor = 4, .shortest = 20ms};

// Whether a number up to `last` is reserved for a job that is about to come. A reservation goes with the session of who
// moves that job. A node of such a name that stays would be another program's, and would keep singletons for ever. One
// that has gone since it was listed may have made way for its job.
async::Task<bool> isAwaitingMove(jobs::Cluster cluster, QByteArray queue, QByteArrayList names, qint32 last)
{
    std::vector<zk::Path> paths;
    for (const QByteArray &name : names) {
        if (jobs::reservesNumber(name, last))
            paths.push_back(cluster.layout.queue(queue) / name);
    }
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(cluster.zk, std::move(paths));
    co_return std::any_of(nodes.begin(), nodes.end(),
                          [](const Answer<zk::Node> &node) { return !node.ok() || node->stat.ephemeralOwner != 0; });
}

} // namespace

SameNameJobs::SameNameJobs(jobs::Cluster cluster, std::function<void(const QByteArray &queue)> onRead)
    : m_cluster(std::move(cluster)), m_onRead(std::move(onRead))
{
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
    while (queue.wanted > queue.read || !queue.doubted.empty()) {
        const qint32 last = queue.wanted;
        bool complete = false;
        while (!complete) { // up to the same number: fewer and fewer are left to be read, whatever is submitted
            const async::TimePoint begin = m_cluster.zk.loop().now();
            async::Duration pause{};
            try {
                const bool allRead = co_await readUpTo(name, last);
                complete = allRead;
            } catch (const zk::SessionLost &) {
                throw;
            } catch (const std::exception &error) {
                qCWarning(lcSameNameJobs, "cannot tell now which jobs of queue %s have the same name: %s",
                          name.constData(), error.what());
                pause = RetryPause;
            }
            if (complete)
                setRead(name, last);
            const async::Duration taken = m_cluster.zk.loop().now() - begin;
            co_await async::sleepFor(m_cluster.zk.loop(), std::max(pause, ListingPause(taken)));
        }
    }
}

void SameNameJobs::setRead(const QByteArray &name, qint32 last)
{
    Queue &queue = m_queues.at(name);
    queue.read = last;
    queue.doubted.clear(); // the remaining ones existed a moment ago
    m_guard.post(m_cluster.zk.loop(), [this, name] { m_onRead(name); });
}

// False if some have gone from where they were listed, or are yet to come.
async::Task<bool> SameNameJobs::readUpTo(QByteArray name, qint32 last)
{
    const Answer<zk::Children> listed =
        co_await recipes::Persistent(m_cluster.zk).children(m_cluster.layout.queue(name));
    Queue &queue = m_queues.at(name);
    QSet<qint32> present;
    std::vector<qint32> numbers;
    std::vector<zk::Path> paths;
    for (const QueueEntry &entry : jobs::jobsUpTo(listed->names, last)) {
        present.insert(entry.number);
        if (queue.names.contains(entry.number))
            continue;
        numbers.push_back(entry.number);
        paths.push_back(m_cluster.layout.job(name, entry));
    }
    retain(queue, present);
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_cluster.zk, std::move(paths));
    const bool awaitsMove = co_await isAwaitingMove(m_cluster, name, listed->names, last);
    bool complete = !awaitsMove;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        complete = complete && !nodes[i].is(zk::Code::NoNode);
        if (!nodes[i].ok())
            continue;
        const QString title = jobs::titleIn(nodes[i]->data, name);
        queue.names.emplace(numbers[i], title);
        queue.numbers[title].insert(numbers[i]);
    }
    co_return complete;
}

// The others have ended.
void SameNameJobs::retain(Queue &queue, const QSet<qint32> &present)
{
    std::vector<qint32> gone;
    for (const auto &[number, title] : queue.names) {
        if (!present.contains(number))
            gone.push_back(number);
    }
    for (const qint32 number : gone)
        remove(queue, number);
}

} // namespace drover::workers
