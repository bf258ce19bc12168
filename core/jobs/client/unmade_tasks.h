#pragma once

#include "jobs/client/job_lookup.h"

#include <vector>

namespace drover::jobs {

// Tasks of arrays that have neither a node nor a record: their array is still to make them, or they were cancelled
// before it did. The array says which: its node while it has not ended, then its final record. All of these wait out
// lost connections, and throw SessionLost and AccessDenied.

// The task as its array describes it. One that is to come is waiting, or held with its array, and has no entry. One
// that was cancelled has ended, and has a record. Nothing if it was made, or if the array is unknown.
async::Task<std::optional<JobView>> lookUpUnmade(Cluster cluster, JobId task);

// As lookUp(), and as lookUpUnmade() for a task that lookUp() does not find.
async::Task<JobView> lookUpEvenUnmade(Cluster cluster, JobId id);

struct UnmadeTasks {
    bool isArrayKnown = false; // ZooKeeper has the array or its record: only otherwise the history may know more
    std::vector<JobId> toCome;
    std::vector<FinalRecord> neverMade;
};

// The unmade tasks in this range of an array's tasks, by index. None of a gang, whose tasks are made together.
async::Task<UnmadeTasks> findUnmade(Cluster cluster, JobRange tasks);

} // namespace drover::jobs
