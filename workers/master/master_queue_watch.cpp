#include "workers/master/master_queue_watch.h"

#include "async/first_of.h"
#include "async/pause.h"
#include "jobs/client/reposition.h"
#include "jobs/cluster/cluster_config.h"
#include "recipes/blocks/follow.h"
#include "recipes/blocks/persistent.h"
#include "text/name.h"
#include "workers/master/base/supervise.h"

#include <algorithm>
#include <utility>

namespace drover::workers {

using namespace std::chrono_literals;
using zk::Answer;

namespace {

constexpr async::PauseAfter Pause{.factor = 4, .shortest = 20ms}; // between two listings of a queue
const QString NumberOfQueues = QStringLiteral("number of queues");

} // namespace

MasterQueueWatch::MasterQueueWatch(jobs::Cluster cluster, Troubles &troubles, OnListed onListed)
    : m_cluster(std::move(cluster)), m_troubles(troubles), m_onListed(std::move(onListed)),
      m_failure(m_cluster.zk.loop()), m_following([this](const std::exception_ptr &error) { m_failure.note(error); })
{
}

async::Task<void> MasterQueueWatch::run()
{
    const std::function<async::Task<void>()> followAll = [this] { return followQueues(); };
    m_following.spawn(superviseDuty(m_cluster.zk, m_troubles, QStringLiteral("queues"), followAll));
    co_await m_failure.thrown();
}

async::Task<void> MasterQueueWatch::followQueues()
{
    const auto onQueues = [this](const zk::Children &queues) {
        takeNames(queues.names);
        m_knowsQueues = true;
    };
    co_await recipes::followChildren(m_cluster.zk, m_cluster.layout.queues(), onQueues);
}

// What is followed stays so, whatever is added.
void MasterQueueWatch::takeNames(QByteArrayList names)
{
    forgetOthers(QSet<QByteArray>(names.begin(), names.end()));
    std::sort(names.begin(), names.end());
    qsizetype passedOver = 0;
    for (const QByteArray &name : std::as_const(names)) {
        if (m_queues.contains(name) || !text::isName(QString::fromUtf8(name)))
            continue;
        if (qsizetype(m_queues.size()) >= jobs::MaxQueues) {
            ++passedOver;
            continue;
        }
        const QueuePtr queue = std::make_shared<Queue>();
        m_queues.emplace(name, queue);
        m_unlisted.insert(name);
        m_following.spawn(watchQueue(name, queue));
    }
    if (passedOver > 0)
        m_troubles.note(NumberOfQueues,
                        QStringLiteral("there are more than %1: what waits in others stays there; delete empty ones "
                                       "below %2")
                            .arg(jobs::MaxQueues)
                            .arg(m_cluster.layout.queues().toString()));
    else
        m_troubles.clear(NumberOfQueues);
}

void MasterQueueWatch::forgetOthers(const QSet<QByteArray> &present)
{
    for (auto queue = m_queues.begin(); queue != m_queues.end();) {
        if (present.contains(queue->first)) {
            ++queue;
            continue;
        }
        queue->second->gone.set();
        m_unlisted.remove(queue->first);
        m_onListed(queue->first, {});
        queue = m_queues.erase(queue);
    }
}

void MasterQueueWatch::listAgain()
{
    for (const auto &[name, queue] : m_queues) {
        m_unlisted.insert(name);
        queue->toList.set();
    }
}

async::Task<void> MasterQueueWatch::watchQueue(QByteArray name, QueuePtr queue)
{
    const QString subject = QStringLiteral("queue %1").arg(QString::fromUtf8(name));
    const std::function<async::Task<void>()> followOnce = [this, name, queue] { return follow(name, queue); };
    co_await async::firstOf(m_cluster.zk.loop(), superviseDuty(m_cluster.zk, m_troubles, subject, followOnce),
                            async::untilSet(queue->gone));
    m_troubles.clear(subject);
}

// First a listing: what cannot be watched is listed each time that this is tried again.
async::Task<void> MasterQueueWatch::follow(QByteArray name, QueuePtr queue)
{
    try {
        co_await list(name);
    } catch (const zk::AccessDenied &) {
        m_unlisted.remove(name); // its jobs are out of reach: nothing waits for what they need
        throw;
    }
    const auto onTold = [queue](const zk::Node *) { queue->toList.set(); };
    co_await async::firstOf(m_cluster.zk.loop(),
                            recipes::followData(m_cluster.zk, m_cluster.layout.waiting(name), onTold),
                            listWhenTold(name, queue));
}

async::Task<void> MasterQueueWatch::listWhenTold(QByteArray name, QueuePtr queue)
{
    for (;;) {
        co_await queue->toList.wait();
        queue->toList.reset();
        const async::TimePoint begin = m_cluster.zk.loop().now();
        co_await list(name);
        const async::Duration taken = m_cluster.zk.loop().now() - begin;
        co_await async::sleepFor(m_cluster.zk.loop(), Pause(taken));
    }
}

async::Task<void> MasterQueueWatch::list(QByteArray queue)
{
    const Answer<zk::Children> names =
        co_await recipes::Persistent(m_cluster.zk).children(m_cluster.layout.queue(queue));
    std::vector<jobs::QueueEntry> entries;
    for (const QByteArray &name : names->names) {
        const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name);
        if (entry && jobs::isMasters(entry->jobClass))
            entries.push_back(*entry);
    }
    m_onListed(queue, entries);
    m_unlisted.remove(queue);
}

} // namespace drover::workers
