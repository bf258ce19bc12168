#include "jobs/explain/dependencies.h"

#include "jobs/model/errors.h"

namespace drover::jobs {

namespace {

constexpr int MostMoves = 20; // of one job

} // namespace

bool isFulfilled(Dependency::Kind kind, JobState state)
{
    const bool ended = isFinal(state);
    switch (kind) {
    case Dependency::Kind::Begun:
        return ended || state == JobState::Running;
    case Dependency::Kind::Ok:
        return state == JobState::Succeeded;
    case Dependency::Kind::Failed:
        return ended && state != JobState::Succeeded;
    case Dependency::Kind::Any:
        break;
    }
    return ended;
}

async::Task<JobView> lookUpWhereItIs(Cluster cluster, JobId id)
{
    JobView job = co_await lookUp(cluster, std::move(id));
    for (int moves = 0; moves < MostMoves && job.record && job.record->movedTo; ++moves) { // records may be forged
        JobView there = co_await lookUp(cluster, *job.record->movedTo);
        job = std::move(there);
    }
    co_return job;
}

async::Task<bool> Dependencies::isFulfilled(Dependency dependency)
{
    auto known = m_states.find(dependency.on);
    if (known == m_states.end()) {
        if (m_states.size() >= m_most)
            co_return false;
        std::optional<JobState> state;
        try {
            const JobView other = co_await lookUpWhereItIs(m_cluster, dependency.on);
            state = other.state;
        } catch (const NotFound &) {
        }
        known = m_states.emplace(dependency.on, state).first;
    }
    const std::optional<JobState> &found = known->second;
    co_return found.has_value() && jobs::isFulfilled(dependency.kind, *found);
}

} // namespace drover::jobs
