#pragma once

#include "async/task_group.h"
#include "workers/claims/reporter.h"
#include "workers/worker_cluster.h"

namespace drover::test {

// A worker's reporter at work.
class Reporting
{
public:
    Reporting(WorkerCluster &fake, int who) : m_fake(fake), reporter(jobs::Cluster(fake[who], fake.layout))
    {
        m_running.spawn(reporter.run());
    }

    void flush() { m_fake.run(reporter.flushed()); }

private:
    WorkerCluster &m_fake;

public:
    workers::Reporter reporter;

private:
    async::TaskGroup m_running;
};

} // namespace drover::test
