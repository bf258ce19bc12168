#pragma once

#include "workers/claims/reporter.h"
#include "workers/sim_runner.h"
#include "workers/worker.h"
#include "workers/worker_cluster.h"

namespace drover::test {

// A worker of one session, whose jobs take up to a minute.
class Working
{
public:
    Working(WorkerCluster &fake, int who, int slotCount = 1) : Working(fake, who, options(slotCount)) { }
    Working(WorkerCluster &fake, int who, workers::WorkerOptions options,
            async::Duration longest = std::chrono::minutes(1), workers::Worker::Events events = {},
            std::vector<workers::Report> unanswered = {}, std::shared_ptr<const trust::Credentials> credentials = {})
        : m_runner(fake.process(who), WorkerCluster::nameOf(who), static_cast<quint64>(who), longest, m_witness,
                   m_disk),
          worker(jobs::Cluster(fake[who], fake.layout, std::move(credentials)), named(who, std::move(options)),
                 m_runner, std::move(events))
    {
        worker.giveBackFirst(std::move(unanswered));
        m_life.spawn(live(*this));
    }

    static workers::WorkerOptions options(int slotCount, QStringList labels = {}, qint64 memory = 0)
    {
        workers::WorkerOptions options;
        options.slotCount = slotCount;
        options.labels = std::move(labels);
        options.memory = memory;
        return options;
    }

    // Before it has joined: what an earlier life has left.
    void keep(const workers::KeptResult &result) { m_disk.results.emplace(result.outcome.runId, result); }
    // What a later life would find.
    std::vector<workers::KeptResult> kept() const { return m_runner.kept(); }

    bool ended() const { return m_ended; }
    void setFailures(double chance) { m_runner.setFailures(chance); }
    void setSick(double noRunner, double noProcess) { m_runner.setSick(noRunner, noProcess); }
    void setUnmounted(bool unmounted) { m_runner.setUnmounted(unmounted); }
    void setLosesOutput(bool loses) { m_runner.setLosesOutput(loses); }
    int refusals() const { return m_runner.refusals(); }
    void stopRunner() { m_runner.stop(); }
    void killRunner() { m_runner.die(); }
    const std::vector<Execution> &witness() const { return m_witness; }
    std::size_t begun() const { return m_witness.size(); }
    const Execution &latest() const { return m_witness.back(); }
    bool began(const jobs::JobId &id) const
    {
        return std::any_of(m_witness.begin(), m_witness.end(),
                           [&](const Execution &execution) { return execution.job == id.bytes(); });
    }

private:
    static workers::WorkerOptions named(int who, workers::WorkerOptions options)
    {
        if (options.id.isEmpty())
            options.id = QString::fromLatin1(WorkerCluster::nameOf(who));
        return options;
    }
    static async::Task<void> live(Working &self)
    {
        try {
            co_await self.worker.run();
        } catch (const zk::SessionLost &) {
        }
        self.m_ended = true;
    }

    std::vector<Execution> m_witness;
    SimDisk m_disk;
    SimRunner m_runner;
    bool m_ended = false;

public:
    workers::Worker worker;

private:
    async::TaskGroup m_life;
};

} // namespace drover::test
