#include "gui/feeds/graph/graph_walk.h"

#include "jobs/explain/dependencies.h"
#include "jobs/model/errors.h"
#include "jobs/model/job_spec.h"

#include <QJsonDocument>

namespace drover::gui {

using jobs::JobId;
using jobs::JobState;
using jobs::JobView;

namespace {

constexpr std::size_t MostNames = 20; // of one job that is moved again and again: records may be forged

// What a record of a job says that it waited for, also once it is ready. Nothing: it cannot be read.
std::optional<std::vector<jobs::Dependency>> submittedAfter(const jobs::JobRecord &record, const JobId &id)
{
    try {
        return jobs::JobSpec::fromJson(QJsonDocument::fromJson(record.text).object(), id.queue, 0).after;
    } catch (const jobs::Malformed &) {
        return {};
    }
}

std::optional<std::vector<jobs::Dependency>> afterOf(const JobView &job)
{
    const std::optional<jobs::JobRecord> record = job.record ? job.record->signedJob() : jobs::tryParse(job.stored);
    if (record) {
        if (const auto after = submittedAfter(*record, job.id))
            return after;
    }
    return job.spec ? std::optional(job.spec->after) : std::nullopt;
}

QString nameOf(const JobView &job)
{
    return job.record ? job.record->name : job.spec ? job.spec->title() : QString();
}

} // namespace

async::Task<JobGraph> GraphWalk::around(JobId id)
{
    co_await lookUp(id); // a waiting job, too: all else may be a moment old
    co_await goBack();
    co_await goOn();
    drawArrows();
    co_return std::move(m_graph);
}

int GraphWalk::put(JobGraph::Node node, After after)
{
    m_graph.nodes.push_back(std::move(node));
    m_after.push_back(std::move(after));
    return int(m_graph.nodes.size()) - 1;
}

// A job that was moved has one node, by whichever of its ids it is named.
async::Task<void> GraphWalk::lookUp(JobId id)
{
    std::vector<JobId> names;
    names.push_back(id);
    JobView job = co_await m_lookUp(id);
    while (job.record && job.record->movedTo && names.size() < MostNames) {
        names.push_back(*job.record->movedTo);
        JobView there = co_await m_lookUp(names.back());
        job = std::move(there);
    }
    const auto known = m_places.find(job.id);
    int place = 0;
    if (known == m_places.end()) {
        const std::optional<After> after = afterOf(job);
        m_graph.hasForgotten |= m_graph.nodes.empty() && !after;
        place = put({job.id, job.state, nameOf(job)}, after.value_or(After()));
    } else {
        place = known->second;
    }
    for (const JobId &name : names)
        m_places[name] = place;
}

async::Task<void> GraphWalk::add(JobId id)
{
    if (m_places.contains(id))
        co_return;
    const WaitingJobs::Waiting *const waiting = m_waiting->find(id);
    if (waiting) {
        m_places[id] = put({id, jobs::unclaimedState(waiting->entry.jobClass), waiting->name}, waiting->after);
        co_return;
    }
    bool isUnknown = false;
    try {
        co_await lookUp(id);
    } catch (const jobs::NotFound &) {
        isUnknown = true;
    }
    if (isUnknown)
        m_places[id] = put({id}, {});
}

async::Task<void> GraphWalk::goBack()
{
    std::set<JobId> left;
    std::vector<int> frontier{0};
    for (int level = 0; !frontier.empty(); ++level) {
        std::vector<int> next;
        for (const int node : frontier) {
            const After after = m_after[std::size_t(node)];
            for (const jobs::Dependency &one : after) {
                if (m_places.contains(one.on))
                    continue;
                if (level == JobGraph::MostLevels || m_graph.nodes.size() > JobGraph::MostEachWay) {
                    left.insert(one.on);
                    continue;
                }
                co_await add(one.on);
                next.push_back(m_places.at(one.on));
            }
        }
        frontier = std::move(next);
    }
    m_graph.before = qsizetype(left.size());
}

std::set<JobId> GraphWalk::waitersOf(const std::set<JobId> &ids) const
{
    std::set<JobId> all;
    for (const JobId &id : ids) {
        const auto waiters = m_waiting->waiters.find(id);
        if (waiters != m_waiting->waiters.end())
            all.insert(waiters->second.begin(), waiters->second.end());
    }
    std::erase_if(all, [this](const JobId &id) { return m_places.contains(id); });
    return all;
}

async::Task<void> GraphWalk::goOn()
{
    const std::size_t most = m_graph.nodes.size() + JobGraph::MostEachWay;
    std::set<JobId> left;
    std::set<JobId> frontier;
    for (const auto &[id, place] : m_places) {
        if (place == 0)
            frontier.insert(id);
    }
    for (int level = 0; level < JobGraph::MostLevels && !frontier.empty(); ++level) {
        const std::set<JobId> waiters = waitersOf(frontier);
        frontier.clear();
        for (const JobId &id : waiters) {
            if (m_graph.nodes.size() == most) {
                left.insert(id);
                continue;
            }
            co_await add(id);
            frontier.insert(id);
        }
    }
    frontier.merge(left);
    countAfter(std::move(frontier));
}

// All behind these, and those of them that are not drawn.
void GraphWalk::countAfter(std::set<JobId> frontier)
{
    std::set<JobId> left;
    for (const JobId &id : frontier) {
        if (!m_places.contains(id))
            left.insert(id);
    }
    while (!frontier.empty()) {
        std::set<JobId> next = waitersOf(frontier);
        std::erase_if(next, [&left](const JobId &id) { return left.contains(id); });
        left.insert(next.begin(), next.end());
        frontier = std::move(next);
    }
    m_graph.after = qsizetype(left.size());
}

void GraphWalk::drawArrows()
{
    for (std::size_t i = 0; i < m_after.size(); ++i) {
        for (const jobs::Dependency &one : m_after[i]) {
            const auto before = m_places.find(one.on);
            if (before == m_places.end()) {
                ++m_graph.nodes[i].others;
                continue;
            }
            const std::optional<JobState> state = m_graph.nodes[std::size_t(before->second)].state;
            m_graph.arrows.push_back({before->second, int(i), one.kind, state && jobs::isFulfilled(one.kind, *state)});
        }
    }
}

} // namespace drover::gui
