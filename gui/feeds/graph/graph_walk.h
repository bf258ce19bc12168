#pragma once

#include "gui/data/job_graph.h"
#include "gui/feeds/graph/waiting_jobs.h"
#include "jobs/client/job_lookup.h"

#include <functional>
#include <set>

namespace drover::gui {

// Walks from a job to those that it depends on, to those that depend on it, and so on. It looks up MostEachWay jobs at
// most besides the first, one after the other. The jobs that wait are known already. A job that was moved is drawn
// where it is now.
class GraphWalk
{
public:
    // Throws NotFound if nothing knows the job, and what ends the walk.
    using LookUp = std::function<async::Task<jobs::JobView>(jobs::JobId)>;

    GraphWalk(std::shared_ptr<const WaitingJobs> waiting, LookUp lookUp)
        : m_waiting(std::move(waiting)), m_lookUp(std::move(lookUp))
    {
    }

    // Once. It must live until the task ends. Throws as LookUp does, but for a job that is not the first.
    async::Task<JobGraph> around(jobs::JobId id);

private:
    using After = std::vector<jobs::Dependency>;

    async::Task<void> add(jobs::JobId id);
    async::Task<void> lookUp(jobs::JobId id);
    int put(JobGraph::Node node, After after);
    async::Task<void> goBack();
    async::Task<void> goOn();
    std::set<jobs::JobId> waitersOf(const std::set<jobs::JobId> &ids) const;
    void countAfter(std::set<jobs::JobId> frontier);
    void drawArrows();

    std::shared_ptr<const WaitingJobs> m_waiting;
    LookUp m_lookUp;
    JobGraph m_graph;
    std::vector<After> m_after; // of each node
    std::map<jobs::JobId, int> m_places; // of the nodes, also by the ids that they had before a move
};

} // namespace drover::gui
