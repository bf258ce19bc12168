#pragma once

#include "async/task_group.h"
#include "jobs/layout.h"
#include "jobs/records.h"
#include "workers/permit_watch.h"
#include "workers/place_forecast.h"
#include "zk/coordinator.h"

#include <functional>
#include <optional>
#include <vector>

namespace drover::workers {

// Which gang of the cluster may assemble: one at a time, in the hands of the master. A gang that assembles keeps the
// places of its first members idle until all have theirs. So it gets its turn only
//
//     when the workers that may claim have enough free places, or will have within minutes (PlaceForecast),
//     when its limits have enough permits, and its queue is not paused,
//
// and has it for as long as the forecast says, eight minutes at most. Until then other jobs run in those places, and
// other gangs have their turns. While a gang waits that would fit, the master reads the workers and the claims every two
// seconds, or as seldom as leaves nineteen parts of twenty of its time.
//
// Two gangs that assemble at once could each keep half of the slots that both need. So the next one's members are made
// when those of the one before have begun, or its time was up. This is in memory alone: after a change of masters two
// may assemble together, and what then keeps them apart is that time.
class GangTurn
{
public:
    // `onChange`: it may be worth asking again; called from the loop.
    GangTurn(zk::Coordinator &zk, jobs::Layout layout, std::function<void()> onChange);

    // How long this gang may assemble, if it is its turn, which it has until it is released; `onChange` is called when
    // it is worth asking again. Later askers come later.
    std::optional<std::chrono::milliseconds> take(const jobs::JobId &gang, const jobs::JobSpec &spec);
    // It assembles already.
    void keep(const jobs::JobId &gang);
    void release(const jobs::JobId &gang);

private:
    async::Task<void> followWorkers();
    async::Task<void> readWorkers();
    async::Task<void> lookForPlaces();

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    std::function<void()> m_onChange;
    std::optional<jobs::JobId> m_assembling;
    std::vector<jobs::WorkerInfo> m_workers;
    PermitWatch m_permits;
    PlaceForecast m_forecast;
    async::Event m_members; // there are others
    async::Event m_asked; // for places that are not known to be free
    std::shared_ptr<char> m_alive = std::make_shared<char>(); // for what is posted
    async::TaskGroup m_following; // last: destroyed first
};

} // namespace drover::workers
