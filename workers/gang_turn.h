#pragma once

#include "async/task_group.h"
#include "jobs/layout.h"
#include "jobs/records.h"
#include "workers/permit_watch.h"
#include "zk/coordinator.h"

#include <functional>
#include <optional>
#include <vector>

namespace drover::workers {

// Which gang of the cluster may assemble: one at a time, and none for which the workers have not places enough or a
// limit not permits enough: it would keep what it has got, and its turn, until its time is up, and never begin. In the
// hands of the master.
//
// Two gangs that assemble at once could each keep half of the slots that both need. So the next one's members are made
// when those of the one before have begun, or its time was up. This is in memory alone: after a change of masters two
// may assemble together, and what then keeps them apart is that time.
class GangTurn
{
public:
    // `onChange`: it may be worth asking again; called from the loop.
    GangTurn(zk::Coordinator &zk, jobs::Layout layout, std::function<void()> onChange);

    // True if it is the turn of this gang, until it is released. Later askers come later.
    bool take(const jobs::JobId &gang, const jobs::JobSpec &spec);
    // It assembles already.
    void keep(const jobs::JobId &gang);
    void release(const jobs::JobId &gang);

private:
    async::Task<void> followWorkers();
    async::Task<void> readWorkers();

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    std::function<void()> m_onChange;
    std::optional<jobs::JobId> m_assembling;
    std::vector<jobs::WorkerInfo> m_workers;
    PermitWatch m_permits;
    async::Event m_members; // there are others
    std::shared_ptr<char> m_alive = std::make_shared<char>(); // for what is posted
    async::TaskGroup m_following; // last: destroyed first
};

} // namespace drover::workers
