#pragma once

#include "app/cli/command.h"
#include "app/cli/failure.h"
#include "app/environment/context.h"
#include "app/jobs/job_selection.h"
#include "jobs/client/job_control.h"

#include <QJsonObject>
#include <QSet>

#include <optional>

namespace drover::app {

// The outcome for one of the jobs that a command acts on.
struct Acted {
    bool named = true; // by its id; false: found by a range or a filter
    std::optional<QJsonObject> row{}; // not set: see `failure`
    Failure failure{};
    // The job, if ZooKeeper was lost before the outcome was known; `failure` says why. Otherwise empty.
    QString inDoubt{};
};

// Awaits `acting`, which acts on `job`, and returns its row or its error.
async::Task<Acted> outcomeOf(const Context &context, QString job, async::Task<QJsonObject> acting, bool named);

// Sums up the outcomes. It prints an error for each named job whose action failed, and each error text once. A job that
// was found by a range or a filter may be in an unsuitable state, which is not an error.
class JobTally
{
public:
    void add(Acted acted);
    bool empty() const { return m_rows.isEmpty() && m_code == ExitOk; }

    enum class Print {
        Rows,
        NewIds,
    };
    // Prints the rows, and the jobs whose outcome is unknown, so that the user checks before repeating the command.
    // Returns the exit code of the first reported failure, or 4 if no action succeeded.
    int finish(const Output &out, const char *participle, Print what = Print::Rows) const;

private:
    QList<QJsonObject> m_rows;
    int m_code = ExitOk;
    QSet<QString> m_told;
    int m_all = 0;
    bool m_found = false; // some came from ranges, filters or arrays
    QString m_leftOut; // why the first job was skipped that was found and in an unsuitable state; empty: none
    QStringList m_inDoubt; // in the order of add()
    QString m_trouble; // why the first of m_inDoubt is in doubt
};

// Adds to a command what all commands on many jobs have in common. These are the filters, --dry-run, --yes, the exit
// codes, and what to check after a lost connection. They take any number of jobs, and need one role, unless `own` names
// another.
Command bulkCommand(Command own);

// The action of a command on each of many jobs.
struct BulkJobCommand {
    const char *participle; // "held", for messages
    JobSelection::Arrays arrays;
    // Acts on a job and returns its row. Throws WrongState and NotFound.
    std::function<async::Task<QJsonObject>(jobs::Cluster cluster, jobs::JobId id)> act;
    // What `act` requires of a job, for --dry-run: throws WrongState as it would. Null: any that has not ended.
    std::function<void(const jobs::JobView &job)> check{};
    // Acts on the tasks in this range that their array has not created yet, and returns how many these are. Null: the
    // command has no such action.
    std::function<async::Task<qint32>(jobs::Cluster cluster, jobs::JobRange tasks)> actBeforehand{};
    // The command cannot act on tasks that their arrays are still to make: it reports an error if such a task is named.
    bool refusesUnmade = false;
};

// How many jobs a command acts on without a question, if ranges and filters have found them.
constexpr int MostUnasked = 20;

// Acts on all jobs that the arguments choose, many at once, and prints a row for each. If the action fails for a job
// that is named by its id, it prints an error. A job that was found by a range or a filter is skipped if its state does
// not fit.
//
// --dry-run prints the jobs that it would act on as they are now, and changes none. On a terminal it asks before it
// acts on more than MostUnasked found jobs, unless --yes is given. Scripts are never asked.
//
// Returns exit code 0 if the action succeeded for all named jobs, and 3 if a named job does not exist. Returns 4 if one
// was in the wrong state, or the action succeeded for none of the found jobs.
async::Task<int> actOnJobs(Context &context, QStringList ids, BulkJobCommand verb);
// For a command that has a session already, because Context::openCluster() would end it.
async::Task<int> actOnJobs(Context &context, jobs::Cluster cluster, JobSelection selection, BulkJobCommand verb);

// {id, from, result}; `result` is the new state unless given.
QJsonObject changeRow(const jobs::JobId &id, const jobs::JobChange &change, const QString &result = {});

} // namespace drover::app
