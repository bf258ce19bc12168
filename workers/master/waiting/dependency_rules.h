#pragma once

#include "jobs/model/dependency.h"
#include "workers/master/waiting/dependency_watcher.h"

#include <functional>
#include <vector>

namespace drover::workers {

// Whether a job in this state satisfies a dependency on it. Nothing while that may still change: the job has not ended,
// or its end is unknown and the dependency asks how it ended.
std::optional<bool> isSatisfied(jobs::Dependency::Kind kind, DependencyWatcher::State state);

// Why a dependency can never be satisfied: a sentence for people.
QString whyNever(const jobs::Dependency &dependency, DependencyWatcher::State state);

// Whether `to` is found by going from `from` to `next` of it, to `next` of these, and so on. Each job is visited once.
bool leadsTo(const jobs::JobId &from, const jobs::JobId &to,
             const std::function<std::vector<jobs::JobId>(const jobs::JobId &)> &next);

} // namespace drover::workers
