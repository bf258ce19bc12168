#pragma once

#include "workers/master/waiting/dependency_watcher.h"

namespace drover::workers {

// What the nodes of a job say about its beginning and its end.

DependencyWatcher::State stateIn(const jobs::FinalRecord &record);

struct Ending {
    DependencyWatcher::State state = DependencyWatcher::State::Failed;
    std::optional<jobs::FinalRecord> record{};
};
// A malformed record counts as a failure, as commands show it; the end is unknown if the record has a newer format.
Ending endingIn(const zk::Node &node, const jobs::JobId &id);

bool isArray(const zk::Node &node, const jobs::JobId &id);
// Whether the job with this claim has begun. A malformed claim counts as begun.
bool hasBegun(const zk::Node &claim);
// Whether a task of this array was created, or the members of this gang have begun.
bool hasBegun(const zk::Node &node, const jobs::JobId &id);

} // namespace drover::workers
