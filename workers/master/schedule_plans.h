#pragma once

#include "jobs/model/cluster.h"
#include "jobs/schedules/schedules.h"
#include "recipes/blocks/tree_watch.h"
#include "workers/master/base/troubles.h"
#include "zk/server_clock.h"

#include <map>

namespace drover::workers {

// Follows schedules/, and knows which of them are due. A schedule costs its writer nothing and the master a watch. So
// this follows jobs::MaxSchedules. If there are more, that is a trouble: what it follows stays so, and of the others it
// follows the first by name.
class SchedulePlans
{
public:
    // `troubles` and `clock` outlive it. Without a clock this machine's is trusted. Otherwise no schedule is due unless
    // this machine's clock is known to agree with the servers'.
    SchedulePlans(jobs::Cluster cluster, Troubles &troubles, const zk::ServerClock *clock);

    // Throws SessionLost, and the error when schedules/ cannot be followed.
    async::Task<void> follow() { return m_schedules.run(m_cluster.zk); }

    // The schedules that are due now: at most as many as share a round trip; the others come next.
    std::vector<QByteArray> due() const;
    // How long until the next may be due: a second at most, because the clock may be set.
    async::Duration untilNext() const;

    // A schedule as it is now. A malformed one is logged, and is never due.
    void take(const jobs::StoredSchedule &stored);
    void remove(const QByteArray &name) { m_plans.erase(name); }
    // It could not be carried out: logs that once, and lets it rest for a second.
    void noteTrouble(const QByteArray &name, const QString &trouble);

private:
    using Instant = std::chrono::milliseconds; // of the Unix epoch

    struct Plan {
        Instant next{}; // tick
        Instant lastTick{};
        async::TimePoint notBefore{}; // after a failure
        QString trouble;
    };

    QByteArrayList select(const QByteArrayList &names);
    void onChange(const recipes::TreeWatch::Change &change);
    bool hasGoodClock() const { return !m_clock || m_clock->agrees(); }

    jobs::Cluster m_cluster;
    Troubles &m_troubles;
    const zk::ServerClock *m_clock;
    std::map<QByteArray, Plan> m_plans;
    recipes::TreeWatch m_schedules;
};

} // namespace drover::workers
