#include "jobs/cluster/cordon.h"
#include "jobs/cluster/limits.h"
#include "jobs/cluster/queue_settings.h"
#include "workers/sim/manual_deleter.h"
#include "workers/sim/node_closer.h"
#include "workers/sim/sim_cluster.h"
#include "workers/sim/sim_process.h"

namespace drover::test {

using namespace std::chrono_literals;
using zk::Answer;

async::Task<void> SimCluster::liveAsQueueAdmin(Process &self)
{
    self.session = m_server.connect(self.loop, {.sessionTimeout = 1h, .latency = 1ms});
    zk::Client &zk = *self.session;
    co_await zk.connected();
    co_await jobs::ensureCluster(jobs::Cluster(zk, m_layout), m_queues);
    for (int round = 0; round < 4; ++round) {
        co_await async::sleepFor(self.loop, some(4s));
        const QByteArray queue = m_queues[m_random.below(static_cast<int>(m_queues.size()))];
        const QByteArray worker = "w" + QByteArray::number(m_random.below(m_options.workers));
        bool pause = true;
        const auto change = [&pause](jobs::QueueSettings &settings) { settings.paused = pause; };
        const int limit = m_random.below(3);
        co_await jobs::limitQueue(jobs::Cluster(zk, m_layout), queue, limit);
        co_await jobs::changeQueue(jobs::Cluster(zk, m_layout), queue, change);
        co_await jobs::cordon(jobs::Cluster(zk, m_layout), worker, jobs::Cordon());
        ++m_counts[variations::Cordons];
        const Answer<zk::Children> left = co_await zk.children(m_layout.queue(queue));
        m_counts[variations::Pauses] += !left->names.isEmpty();
        co_await async::sleepFor(self.loop, some(4s));
        pause = false;
        co_await jobs::changeQueue(jobs::Cluster(zk, m_layout), queue, change);
        co_await async::sleepFor(self.loop, some(4s));
        co_await jobs::uncordon(jobs::Cluster(zk, m_layout), worker);
    }
    for (const QByteArray &queue : m_queues) // may be lower than a gang is wide
        co_await jobs::limitQueue(jobs::Cluster(zk, m_layout), queue, 0);
    --m_busy;
}

// Sets the limit that jobs ask for; in the end it is enough for every gang.
async::Task<void> SimCluster::liveAsLimitAdmin(Process &self)
{
    self.session = m_server.connect(self.loop, {.sessionTimeout = 1h, .latency = 1ms});
    zk::Client &zk = *self.session;
    co_await jobs::ensureCluster(jobs::Cluster(zk, m_layout), m_queues);
    for (int left = 4; left >= 0; --left) {
        co_await async::sleepFor(self.loop, some(8s));
        const int permits = left > 0 ? m_random.below(MostMembers + 1) : MostMembers;
        co_await jobs::setLimit(jobs::Cluster(zk, m_layout), "api", permits);
    }
    --m_busy;
}

async::Task<void> SimCluster::liveAsManualDeleter(Process &self)
{
    self.session = m_server.connect(self.loop, {.sessionTimeout = 1h, .latency = 1ms});
    co_await self.session->connected();
    m_invariants.setManualDeleter(self.session->sessionId());
    ManualDeleter person(m_random, m_layout, m_queues);
    co_await person.deleteSome(*self.session, 30);
    for (std::size_t kind = 0; kind < ManualDeleter::KindCount; ++kind)
        m_counts[variations::DeletedByHand[kind]] += person.counts()[kind];
    --m_busy;
}

async::Task<void> SimCluster::liveAsNodeCloser(Process &self)
{
    self.session = m_server.connect(self.loop, {.sessionTimeout = 1h, .latency = 1ms});
    co_await self.session->connected();
    co_await jobs::ensureCluster(jobs::Cluster(*self.session, m_layout), m_queues);
    NodeCloser person(m_random, m_layout, m_queues);
    co_await person.closeSome(*self.session, 12);
    --m_busy;
}

} // namespace drover::test
