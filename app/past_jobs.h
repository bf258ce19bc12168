#pragma once

#include "app/context.h"
#include "app/description_filter.h"
#include "history/history.h"
#include "jobs/job_lookup.h"

#include <type_traits>

namespace drover::app {

// Where `drover up` keeps its history unless told otherwise.
QString defaultHistoryFile();

// The history that the settings name; if they say nothing about it, and the cluster has been opened, the one that its
// config names. Throws CommandError (NotFound) if there is none.
history::Location historyLocation(const Context &context);

// The same, for commands that need no cluster: it is opened if nothing else says where the history is, and somebody
// says where the cluster is.
async::Task<history::Location> findHistory(Context &context);

// Whether somebody has said where it is.
bool keepsHistory(const Context &context);

// Whether that may not be there yet: the cluster's own begins with the first job that is archived. One that the user
// has named has to be.
bool mayBeMissing(const Context &context);

// As the commands know jobs.
jobs::JobView viewOf(const history::Entry &entry);

// A job out of the history, if there is one and it has it. Throws HistoryError when the history does not answer: nobody
// can tell then whether there was such a job.
async::Task<std::optional<jobs::JobView>> findPast(Context &context, jobs::JobId id);

// The job that was submitted to a queue under this key (FinalRecord::key) and got a number not below `from`. Nothing if
// no history is kept, or it does not answer, or has no such job among the numbers next to that.
async::Task<std::optional<jobs::JobId>> findPastByKey(Context &context, QByteArray queue, QString key, qint32 from);

// The same of one that is not in ZooKeeper, as `unknown` says, a NotFound: throws that if the history has none.
async::Task<jobs::JobView> requirePast(Context &context, jobs::JobId id, std::exception_ptr unknown);

// What `present` says of a job that is in the cluster; of one that has been archived, what `archived` makes of it. Throws
// what these throw; if nobody has such a job the NotFound of `present`; and as findPast().
template <typename T>
async::Task<T> orPast(Context &context, jobs::JobId id, async::Task<T> present,
                      std::type_identity_t<std::function<T(const jobs::JobView &)>> archived)
{
    std::exception_ptr unknown;
    try {
        T answer = co_await present;
        co_return answer;
    } catch (const jobs::NotFound &) {
        unknown = std::current_exception();
    }
    const jobs::JobView past = co_await requirePast(context, id, unknown);
    co_return archived(past);
}

// One of the tasks of an array that has ended: the first that has failed and is still in the cluster, or else any that
// failed, or any. Nothing if it was no array, or nobody knows of its tasks any more. Throws as findPast().
async::Task<std::optional<jobs::JobView>> findEndedTask(Context &context, zk::Coordinator &zk, jobs::JobId array);

// Whatever the history of this cluster has of these, query by query the newest first, page by page; nothing if none is
// kept. Throws HistoryError.
async::Task<void> eachPast(Context &context, std::vector<history::Query> queries,
                           std::function<void(const history::Entry &)> take);

// A job of the cluster, or of its history once it has been archived. Throws as jobs::lookUp() and findPast().
async::Task<jobs::JobView> lookUpAnywhere(Context &context, zk::Coordinator &zk, const jobs::JobId &id);

// The job to submit for another run of the same; of a task, all of its array. Nothing if it could not be read, and
// where the record does not hold all of it. Throws as lookUpAnywhere(), jobs::Malformed.
async::Task<std::optional<jobs::JobSpec>> jobToRepeat(Context &context, zk::Coordinator &zk, jobs::JobView job);

// As jobs::waitForEnd(), also of a job that has been archived, now or while it was waited for. One that is moved to another
// queue is followed: the record is that of the job which it has become in the end.
async::Task<jobs::FinalRecord> waitForEndAnywhere(Context &context, zk::Coordinator &zk, jobs::JobId id);

// Throws NotFound if a job that this one waits for is neither in the cluster nor in its history.
async::Task<void> requireDependencies(Context &context, zk::Coordinator &zk, jobs::JobSpec spec);

// Adds to a list, which holds every job of done/ that matches, the newest `filter.limit` of the history. Jobs that have
// to fit a description are all read for that, as the others are counted by the database.
async::Task<void> addPast(Context &context, jobs::JobFilter filter, std::optional<jobs::JobState> state,
                          DescriptionFilter description, jobs::JobList &list);

} // namespace drover::app
