#pragma once

#include "app/environment/context.h"
#include "history/history.h"
#include "jobs/client/job_filter.h"
#include "jobs/client/job_lookup.h"
#include "jobs/model/final_record.h"

#include <type_traits>

namespace drover::app {

// The history that the settings name; otherwise the one in the config of the opened cluster. Throws CommandError
// (NotFound) if no history is configured.
history::Location historyLocation(const Context &context);

// Finds the history for commands that need no cluster. It opens the cluster only if the settings do not name a history,
// and do name a cluster.
async::Task<history::Location> findHistory(Context &context);

// Whether a history is configured.
bool keepsHistory(const Context &context);

// Whether the history may not exist yet: the cluster's own is created with the first archived job. A history that the
// user has named must exist.
bool mayBeMissing(const Context &context);

// A history entry in the form in which commands handle jobs.
jobs::JobView viewOf(const history::ArchivedJob &entry);

// Finds a job in the history, if one is configured. Throws HistoryError if the history does not answer, because it is
// then unknown whether the job existed.
async::Task<std::optional<jobs::JobView>> findArchived(Context &context, jobs::JobId id);

// The job that was submitted to a queue under this key (FinalRecord::key) with a number of at least `from`. Nothing if
// no history is configured, if it does not answer, or if no job with one of the next numbers has the key.
async::Task<std::optional<jobs::JobId>> findArchivedByKey(Context &context, QByteArray queue, QString key, qint32 from);

// Finds a job in the history that is not in ZooKeeper. If the history lacks it, it throws `unknown`, the NotFound.
async::Task<jobs::JobView> requireArchived(Context &context, jobs::JobId id, std::exception_ptr unknown);

// The result of `present` for a job in the cluster, and of `archived` for an archived job. Throws their errors and
// the errors of findArchived(). If neither has the job, it throws the NotFound of `present`.
template <typename T>
async::Task<T> orArchived(Context &context, jobs::JobId id, async::Task<T> present,
                          std::type_identity_t<std::function<T(const jobs::JobView &)>> archived)
{
    std::exception_ptr unknown;
    try {
        co_return co_await present;
    } catch (const jobs::NotFound &) {
        unknown = std::current_exception();
    }
    const jobs::JobView past = co_await requireArchived(context, id, unknown);
    co_return archived(past);
}

// A task of an ended array: the first failed one in the cluster, else any failed one, else any. Nothing if the job was
// not an array, or its tasks are no longer known. Throws as findArchived() does.
async::Task<std::optional<jobs::JobView>> findFinishedTask(Context &context, jobs::Cluster cluster, jobs::JobId array);

// Reads all matches of these queries from the history of this cluster, page by page; for each query the newest first.
// Does nothing if no history is configured. Throws HistoryError.
async::Task<void> eachArchived(Context &context, std::vector<history::Query> queries,
                               std::function<void(const history::ArchivedJob &)> take);

// Finds a job in the cluster, or in its history. Throws as jobs::lookUp() and findArchived() do.
async::Task<jobs::JobView> lookUpAnywhere(Context &context, jobs::Cluster cluster, const jobs::JobId &id);

// The job to submit again; for a task, its whole array. Nothing if the job could not be read, or its record does not
// contain all of it. Throws as lookUpAnywhere() does, and jobs::Malformed.
async::Task<std::optional<jobs::JobSpec>> jobToResubmit(Context &context, jobs::Cluster cluster, jobs::JobView job);

// Like jobs::waitForEnd(), also for a job that is archived already or meanwhile. If the job is moved to another queue,
// it follows the job there, and returns the record of the last one.
async::Task<jobs::FinalRecord> waitForEndAnywhere(Context &context, jobs::Cluster cluster, jobs::JobId id);

// Adds the newest `filter.limit` matching jobs of the history to a list, which already has all matching jobs of done/.
// With a description it reads all candidates to compare them; otherwise the database counts.
async::Task<void> addArchived(Context &context, jobs::ListFilter filter, std::optional<jobs::JobState> state,
                              jobs::JobFilter description, jobs::JobList &list);

// Puts the ended jobs behind the others, the latest end first.
void sortByEnd(jobs::JobList &list);

} // namespace drover::app
