#include "workers/sim/sim_cluster.h"

namespace drover::test {

using namespace std::chrono_literals;

void SimCluster::beginOutage()
{
    if (!m_server.running())
        return;
    ++m_counts[variations::OutagesBegun];
    m_server.stop();
    m_world.at(m_world.now() + some(10s), [this] { m_server.start(); });
}

// The limit is below what a claim of some jobs needs.
void SimCluster::hamperServers()
{
    if (m_random.chance(0.5))
        m_server.setServiceTime(some(10ms));
    else
        m_server.setLargestRequest(100 + m_random.below(1000));
    m_world.at(m_world.now() + some(3s), [this] { freeServers(); });
}

void SimCluster::freeServers()
{
    m_server.setServiceTime(0ms);
    m_server.setLargestRequest(FakeZooKeeper::UsualLargestRequest);
}

void SimCluster::inspectStorage()
{
    std::vector<jobs::FinalRecord> records;
    const FakeTree::Znode *done = m_server.tree().find(m_layout.done());
    for (const QByteArray &name : done->children) {
        const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromLatin1(name));
        records.push_back(jobs::FinalRecord::decode(m_server.tree().find(m_layout.done() / name)->data, *id));
    }
    m_wrongInFile =
        m_storage->inspect(records, m_counts[variations::AppendedRecords], m_counts[variations::RefusedAppends]);
}

QByteArray SimCluster::unfinished() const
{
    QByteArray lines;
    for (const QByteArray &queue : m_queues) {
        const zk::Path path = m_layout.queue(queue);
        for (const QByteArray &name : m_server.tree().find(path)->children) {
            const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name);
            if (!entry)
                continue;
            const jobs::JobSpec spec = jobs::JobSpec::decode(m_server.tree().find(path / name)->data, queue, 0);
            lines += '\n' + queue + '/' + name + (spec.singleton ? " a singleton" : "");
            for (const jobs::Dependency &dependency : spec.after)
                lines += ' ' + dependency.toString().toUtf8();
        }
    }
    for (const QByteArray &name : m_server.tree().find(m_layout.done())->children) {
        const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromUtf8(name));
        const auto record = jobs::FinalRecord::decode(m_server.tree().find(m_layout.done() / name)->data, *id);
        if (record.movedTo)
            lines += '\n' + name + " is " + record.movedTo->bytes();
    }
    return lines;
}

void SimCluster::scheduleIncidents()
{
    const auto during = [this](int times, void (SimCluster::*incident)()) {
        for (int i = 0; i < times; ++i)
            m_world.at(m_world.now() + some(20s), [this, incident] { (this->*incident)(); });
    };
    during(has(variations::Kills) ? 1 : 0, &SimCluster::killSomeWorker);
    during(has(variations::Stops) ? 3 : 0, &SimCluster::stopSomeWorker);
    during(has(variations::Outages) ? 3 : 0, &SimCluster::beginOutage);
    during(has(variations::BusyServers) ? 5 : 0, &SimCluster::hamperServers);
    during(has(variations::WrongClocks) ? 5 : 0, &SimCluster::setSomeClock);
    if (m_storage)
        m_storage->scheduleTroubles(m_world);
    during(has(variations::RunnerDeaths) ? 10 : 0, &SimCluster::killSomeRunner);
}

} // namespace drover::test
