#include "workers/namesakes.h"

#include "jobs/job_spec.h"
#include "jobs/read_nodes.h"
#include "recipes/persist.h"

#include <QLoggingCategory>

namespace drover::workers {

using namespace std::chrono_literals;
using jobs::JobId;
using jobs::QueueEntry;
using zk::Answer;

Q_LOGGING_CATEGORY(lcNamesakes, "drover.workers.namesakes")

namespace {

constexpr async::Duration ShortestPause = 20ms; // between two listings of a queue
constexpr int PausePerListing = 4; // in the time that the last one took, with what was read

void logUnlessSessionLost(const std::exception_ptr &error)
{
    try {
        std::rethrow_exception(error);
    } catch (const zk::SessionLost &) {
    } catch (const std::exception &other) {
        qCWarning(lcNamesakes, "cannot tell which jobs have the same name: %s", other.what());
    }
}

QString nameOf(const zk::Node &node, const QByteArray &queue)
{
    try {
        return jobs::JobSpec::decode(node.data, queue, 0).title();
    } catch (const jobs::Malformed &) {
        return {}; // nobody's
    }
}

} // namespace

Namesakes::Namesakes(zk::Coordinator &zk, jobs::Layout layout, std::function<void(const QByteArray &queue)> onRead)
    : m_zk(zk), m_layout(std::move(layout)), m_onRead(std::move(onRead))
{
}

Namesakes::Earlier Namesakes::before(const JobId &id, const QString &name)
{
    Queue &queue = m_queues[id.queue];
    if (id.number > queue.read) {
        queue.wanted = std::max(queue.wanted, id.number);
        if (!queue.reading)
            queue.reading = std::make_unique<async::TaskGroup>(&logUnlessSessionLost);
        if (queue.reading->empty())
            queue.reading->spawn(readWanted(id.queue));
        return {};
    }
    const auto numbers = queue.numbers.find(name);
    if (numbers == queue.numbers.end())
        return {true, std::nullopt};
    const auto next = numbers->second.lower_bound(id.number);
    if (next == numbers->second.begin())
        return {true, std::nullopt};
    return {true, JobId{id.queue, *std::prev(next)}};
}

void Namesakes::forget(const JobId &id)
{
    const auto queue = m_queues.find(id.queue);
    if (queue == m_queues.end())
        return;
    const auto name = queue->second.names.find(id.number);
    if (name == queue->second.names.end())
        return;
    const auto numbers = queue->second.numbers.find(name->second);
    numbers->second.erase(id.number);
    if (numbers->second.empty())
        queue->second.numbers.erase(numbers);
    queue->second.names.erase(name);
}

async::Task<void> Namesakes::readWanted(QByteArray name)
{
    co_await async::sleepFor(m_zk.loop(), 0ms); // the answer never comes from within the question
    while (m_queues.at(name).wanted > m_queues.at(name).read) {
        const async::TimePoint begin = m_zk.loop().now();
        const qint32 last = m_queues.at(name).wanted;
        const bool complete = co_await readUpTo(name, last);
        if (complete) {
            m_queues.at(name).read = last;
            m_zk.loop().post([this, name, alive = std::weak_ptr(m_alive)] {
                if (!alive.expired())
                    m_onRead(name);
            });
        }
        const async::Duration taken = m_zk.loop().now() - begin;
        co_await async::sleepFor(m_zk.loop(), std::max<async::Duration>(ShortestPause, PausePerListing * taken));
    }
}

// False if some have gone from where they were listed.
async::Task<bool> Namesakes::readUpTo(QByteArray name, qint32 last)
{
    const zk::Path path = m_layout.queue(name);
    const auto list = [&] { return m_zk.children(path); };
    const Answer<zk::Children> listed = co_await recipes::persist(m_zk, list);
    Queue &queue = m_queues.at(name);
    QSet<qint32> present;
    std::vector<qint32> numbers;
    std::vector<zk::Path> paths;
    for (const QByteArray &child : listed->names) {
        const std::optional<QueueEntry> entry = QueueEntry::parse(child);
        if (!entry || entry->task != JobId::NoTask || entry->number > last)
            continue;
        present.insert(entry->number);
        if (queue.names.contains(entry->number))
            continue;
        numbers.push_back(entry->number);
        paths.push_back(path / child);
    }
    retain(name, present);
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_zk, std::move(paths));
    bool complete = true;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        complete = complete && !nodes[i].is(zk::Code::NoNode);
        if (!nodes[i].ok())
            continue;
        const QString title = nameOf(*nodes[i], name);
        queue.names.emplace(numbers[i], title);
        queue.numbers[title].insert(numbers[i]);
    }
    co_return complete;
}

// The others have ended.
void Namesakes::retain(const QByteArray &name, const QSet<qint32> &present)
{
    std::vector<JobId> gone;
    for (const auto &[number, title] : m_queues.at(name).names) {
        if (!present.contains(number))
            gone.push_back({name, number});
    }
    for (const JobId &id : gone)
        forget(id);
}

} // namespace drover::workers
