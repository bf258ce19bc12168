#pragma once

#include "async/task_group.h"
#include "workers/reporter.h"
#include "workers/worker_party.h"

namespace drover::test {

// A worker's reporter at work.
class Reporting
{
public:
    Reporting(WorkerParty &party, int who) : m_party(party), reporter(party[who], party.layout)
    {
        m_running.spawn(reporter.run());
    }

    void flush() { m_party.run(reporter.flushed()); }

private:
    WorkerParty &m_party;

public:
    workers::Reporter reporter;

private:
    async::TaskGroup m_running;
};

} // namespace drover::test
