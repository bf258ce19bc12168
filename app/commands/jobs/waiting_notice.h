#pragma once

#include "app/environment/context.h"
#include "async/task_group.h"
#include "jobs/explain/reasons.h"

namespace drover::app {

// A reason without its numbers, times and what goes with them: "1 job waits" and "12 jobs wait" become equal.
QString withoutNumbers(const QString &reason);

// Says on standard error why a job does not run, while a command waits for it, or why none of several does. An array
// runs while one of its tasks does. It asks after two seconds, and then less and less often, up to every 30 s. It
// prints the first reason of drover why for the first job that waits, and again only if another has taken its place. A
// reason in which nothing but numbers has changed is the same. It writes nothing to ZooKeeper. Failures of its
// questions are not reported, because the waiting command meets them, too. Destroying it ends it.
class WaitingNotice
{
public:
    WaitingNotice(const Context &context, jobs::Cluster cluster) : m_context(context), m_cluster(std::move(cluster)) { }

    // From now on about these jobs, instead of others.
    void watch(std::vector<jobs::JobId> ids);
    void watch(const jobs::JobId &id) { watch(std::vector<jobs::JobId>(1, id)); }

    // Warns once if the present workers could never run the job that was just submitted. It reads them all at once:
    // two round trips, after the id was printed.
    async::Task<void> warnIfUnfit(jobs::JobId id, jobs::JobSpec spec);

private:
    async::Task<void> ask(std::vector<jobs::JobId> ids);
    async::Task<bool> askOnce(std::vector<jobs::JobId> ids);
    void tell(const jobs::JobId &id, const jobs::Reason &reason, const QString &before = {});

    const Context &m_context;
    jobs::Cluster m_cluster;
    QString m_told; // withoutNumbers()
    async::TaskGroup m_asking;
};

} // namespace drover::app
