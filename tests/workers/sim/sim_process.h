#pragma once

#include "workers/claims/reporter.h"
#include "workers/sim/sim_cluster.h"
#include "workers/worker.h"

namespace drover::test {

// One simulated process. Members are destroyed from the last: the life ends before the session it uses.
struct SimCluster::Process {
    Process(VirtualLoop &world, async::TaskGroup::ErrorHandler onError) : loop(world), life(std::move(onError)) { }

    ProcessLoop loop;
    std::unique_ptr<FakeSession> session;
    std::unique_ptr<FakeSession> writer; // a contender's: the one by which it writes
    std::unique_ptr<SimRunner> runner;
    workers::Worker *worker = nullptr; // while one lives
    std::vector<workers::Report> unanswered{}; // of its last life
    async::TaskGroup life;
};

} // namespace drover::test
