#pragma once

#include "app/context.h"
#include "history/history.h"
#include "jobs/job_lookup.h"

namespace drover::app {

// Where `drover up` keeps its history unless told otherwise.
QString defaultHistoryFile();

// The history that the settings name; if they say nothing about it, and the cluster has been opened, the one that its
// config names. Throws CommandError (NotFound) if there is none.
history::Location historyLocation(const Context &context);

// The same, for commands that need no cluster: it is opened if nothing else says where the history is, and somebody
// says where the cluster is.
async::Task<history::Location> findHistory(Context &context);

// Whether that may not be there yet: the cluster's own begins with the first job that is archived. One that the user
// has named has to be.
bool mayBeMissing(const Context &context);

// As the commands know jobs.
jobs::JobView viewOf(const history::Entry &entry);

// A job out of the history, if there is one and it has it. Throws HistoryError when the history does not answer: nobody
// can tell then whether there was such a job.
async::Task<std::optional<jobs::JobView>> findPast(Context &context, jobs::JobId id);

// Whatever the history of this cluster has of these, the newest first, page by page; nothing if none is kept. Throws
// HistoryError.
async::Task<void> eachPast(Context &context, history::Query query, std::function<void(const history::Entry &)> take);

// A job of the cluster, or of its history once it has been archived. Throws as jobs::lookUp() and findPast().
async::Task<jobs::JobView> lookUpAnywhere(Context &context, zk::Coordinator &zk, jobs::JobId id);

// As jobs::waitForEnd(), also of a job that has been archived, now or while it was waited for.
async::Task<jobs::FinalRecord> waitForEndAnywhere(Context &context, zk::Coordinator &zk, jobs::JobId id);

// Throws NotFound if a job that this one waits for is neither in the cluster nor in its history.
async::Task<void> requireDependencies(Context &context, zk::Coordinator &zk, jobs::JobSpec spec);

// Adds to a list, which holds every job of done/ that matches, the newest `filter.limit` of the history.
async::Task<void> addPast(Context &context, jobs::JobFilter filter, std::optional<jobs::JobState> state,
                          jobs::JobList &list);

} // namespace drover::app
