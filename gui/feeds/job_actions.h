#pragma once

#include "gui/data/job_graph.h"
#include "gui/feeds/graph/waiting_jobs.h"
#include "gui/feeds/past_jobs.h"
#include "gui/feeds/request_feed.h"
#include "jobs/client/job_lookup.h"
#include "jobs/client/resubmit.h"

#include <map>

namespace drover::gui {

// The result of one resubmission: the new job, or the reason why there is none.
struct Repeated {
    jobs::Resubmission repeat;
    std::optional<jobs::JobId> made{};
    QString why{}; // one line
};

// Submits and looks up jobs.
class JobActions final : public RequestFeed
{
    Q_OBJECT

public:
    static constexpr qsizetype MaxTasks = 20'000;

    // Jobs that are no longer in ZooKeeper are found in `past`, which outlives this object.
    explicit JobActions(PastJobs &past) : m_past(past) { }

public Q_SLOTS:
    void submit(int request, const drover::jobs::JobSpec &spec);
    void lookUp(int request, const drover::jobs::JobId &id);
    // Finds out what a resubmission would submit.
    void prepare(int request, const drover::jobs::Resubmission &repeat);
    // Finds out what has failed of these jobs: the jobs themselves, and of arrays the tasks.
    void findFailed(int request, const QList<drover::jobs::JobId> &jobs);
    // Finds the tasks of an array that have failed or were cancelled, about MaxTasks of each at most.
    void findUnsuccessful(int request, const drover::jobs::JobId &array);
    // Finds the jobs that a job depends on, and those that depend on it. For the latter it lists the queues, and reads
    // each waiting job once.
    void findNeighbours(int request, const drover::jobs::JobId &id);
    // Submits the jobs again, unchanged, one after the other.
    void repeat(int request, const QList<drover::jobs::Resubmission> &repeats);

Q_SIGNALS:
    void submitted(int request, const drover::jobs::JobId &id);
    // `why`: the reasons why the job does not run. Empty if it has begun or ended.
    void found(int request, const drover::jobs::JobView &job, const QStringList &why);
    void prepared(int request, const drover::jobs::JobSpec &spec);
    void failedFound(int request, const QList<drover::jobs::JobId> &failed); // at least one
    void unsuccessfulFound(int request, const QList<drover::gui::JobRow> &tasks);
    void neighboursFound(int request, const drover::gui::JobGraph &graph);
    void repeated(int request, const QList<drover::gui::Repeated> &outcomes);

protected:
    void end() override;

private:
    async::Task<void> submitTask(int request, jobs::JobSpec spec);
    async::Task<std::vector<jobs::Dependency>> existing(std::vector<jobs::Dependency> after);
    async::Task<void> lookUpTask(int request, jobs::JobId id);
    async::Task<void> prepareTask(int request, jobs::Resubmission repeat);
    async::Task<void> findFailedTask(int request, QList<jobs::JobId> jobs);
    async::Task<QList<jobs::JobId>> failedTasksOf(jobs::JobId array, qint32 count);
    async::Task<void> findUnsuccessfulTask(int request, jobs::JobId array);
    async::Task<void> findNeighboursTask(int request, jobs::JobId id);
    async::Task<jobs::JobView> findToDraw(jobs::JobId id);
    async::Task<std::map<jobs::JobId, JobRow>> tasksOf(jobs::JobId array, QList<jobs::JobState> states, qsizetype most);
    async::Task<jobs::JobView> findAnywhere(jobs::JobId id);
    async::Task<QStringList> whyNotRunning(jobs::JobId id);
    async::Task<jobs::JobView> findToRepeat(jobs::Resubmission repeat);
    async::Task<void> repeatTask(int request, QList<jobs::Resubmission> repeats);

    PastJobs &m_past;
    std::shared_ptr<const WaitingJobs> m_waiting; // as they were read last in this session; or null
};

} // namespace drover::gui
