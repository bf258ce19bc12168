#include "workers/master/waiting/observed_state.h"

#include "jobs/model/array_progress.h"
#include "jobs/model/claim.h"
#include "jobs/model/gang.h"
#include "jobs/model/job_spec.h"

namespace drover::workers {

DependencyWatcher::State stateIn(const jobs::FinalRecord &record)
{
    return record.state() == jobs::JobState::Succeeded ? DependencyWatcher::State::Succeeded
                                                       : DependencyWatcher::State::Failed;
}

Ending endingIn(const zk::Node &node, const jobs::JobId &id)
{
    try {
        const jobs::FinalRecord record = jobs::FinalRecord::decode(node.data, id);
        return {stateIn(record), record};
    } catch (const jobs::NewerFormat &) {
        return {DependencyWatcher::State::Unknown};
    } catch (const jobs::Malformed &) {
        return {};
    }
}

bool isArray(const zk::Node &node, const jobs::JobId &id)
{
    try {
        return jobs::JobSpec::decode(node.data, id.queue, 0).array.has_value();
    } catch (const jobs::Malformed &) {
        return false;
    }
}

bool hasBegun(const zk::Node &claim)
{
    try {
        return jobs::Claim::decode(claim.data).hasBegun();
    } catch (const jobs::Malformed &) {
        return true;
    }
}

bool hasBegun(const zk::Node &node, const jobs::JobId &id)
{
    try {
        const jobs::JobSpec spec = jobs::JobSpec::decode(node.data, id.queue, 0);
        if (spec.gang > 0)
            return jobs::GangRounds::of(node.data).begunAt.count() > 0;
        return spec.array && jobs::ArrayProgress::of(node.data, *spec.array).begun();
    } catch (const jobs::Malformed &) {
        return false;
    }
}

} // namespace drover::workers
