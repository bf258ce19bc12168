#pragma once

#include "async/post_guard.h"
#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "workers/master/arrays/gang_limit_watch.h"
#include "workers/master/arrays/place_forecast.h"
#include "zk/client.h"
#include "zk/server_clock.h"

#include <functional>
#include <optional>
#include <vector>

namespace drover::workers {

// Decides which gang of the cluster may assemble: one at a time. Part of the master. The first members of a gang that
// assembles keep their places idle until all members have a place. So a gang gets its turn only
//
//     when the workers that may claim have enough free places, or will have within minutes (PlaceForecast),
//     when its limits have enough permits, and its queue is not paused,
//
// and keeps the turn for as long as the forecast says, eight minutes at most. Until then other jobs run in those
// places, and other gangs have their turns. While a gang waits that would fit, the master reads the workers and the
// claims every two seconds, or less often. Reading takes at most a twentieth of its time.
//
// Two gangs that assemble at once could each keep half of the slots that both need. So the members of the next gang are
// created when those of the gang before have begun, or when its time is up. The turn is kept in memory alone. After a
// change of masters two gangs may assemble together, until the time of one of them is up.
class GangScheduler
{
public:
    // `onChange` is called from the loop when a gang that was refused may get its turn. `clock` may be null; then this
    // machine's is believed. Otherwise it must outlive this object.
    GangScheduler(jobs::Cluster cluster, const zk::ServerClock *clock, std::function<void()> onChange);

    // The servers' time. The gangs' nodes hold times by it, which the next master reads on another machine.
    std::chrono::milliseconds now() const { return m_clock ? m_clock->now() : m_cluster.zk.loop().wallClock(); }

    // How long this gang may assemble; nothing if it is not its turn. The gang has its turn until it is released.
    std::optional<std::chrono::milliseconds> acquire(const jobs::JobId &gang, const jobs::JobSpec &spec);
    // This gang assembles already: it has the turn unless another gang has it.
    void adopt(const jobs::JobId &gang);
    void release(const jobs::JobId &gang);

private:
    async::Task<void> followWorkers();
    async::Task<void> readWorkers();
    async::Task<void> lookForPlaces();

    jobs::Cluster m_cluster;
    const zk::ServerClock *m_clock;
    std::function<void()> m_onChange;
    std::optional<jobs::JobId> m_assembling;
    std::vector<jobs::WorkerInfo> m_workers;
    GangLimitWatch m_limits;
    PlaceForecast m_forecast;
    async::Event m_members; // joined or left
    async::Event m_asked; // a gang needs a fresh forecast
    async::PostGuard m_guard;
    async::TaskGroup m_following; // last: destroyed first
};

} // namespace drover::workers
