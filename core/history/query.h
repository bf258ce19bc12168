#pragma once

#include "history/order.h"
#include "jobs/client/job_filter.h"
#include "jobs/model/final_record.h"

#include <QVariantList>

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace drover::history {

// A finished job in the history.
struct ArchivedJob {
    QByteArray cluster;
    jobs::FinalRecord record;
    // When its final record was created: Unix epoch, by the clock of the ZooKeeper server.
    std::chrono::milliseconds endedAt{};
    // Why the stored record could not be read, in one line; then only id, name and times are set. Otherwise empty.
    QString malformed;
};

// Entries that the database refuses even without their texts, and why.
using Refusals = std::vector<std::pair<jobs::JobId, QString>>;

// The term of the master that writes. The database refuses a term that is older than the latest one.
struct Term {
    // When the cluster's nodes were created (Unix epoch, server's clock). A cluster that is deleted and created again
    // assigns the same job ids to other jobs; this time tells them apart.
    std::chrono::milliseconds clusterMade{};
    // The fencing token of the master: a later master of the cluster has a greater one. 0: no master writes, and the
    // write is never refused.
    qint64 masterToken = 0;
};

// The entries of one cluster that are archived together.
struct ArchiveBatch {
    QByteArray cluster;
    Term term{};
    std::vector<ArchivedJob> entries;
    // Gets the refusals when the others are archived. Null: RecordRefused is thrown instead, and none is archived.
    std::shared_ptr<Refusals> refused{};
};

// The place of a job in the order of a query: what its row has in Order::columns(). The next page begins after it, also
// if the job is pruned meanwhile. It holds for queries of that order alone.
struct Cursor {
    QVariantList place;
};

// A search: a job matches if every condition that is set holds.
struct Query {
    static constexpr std::size_t MaxIds = 500;

    QByteArray cluster{}; // empty: all
    std::vector<jobs::JobId> ids{}; // at most MaxIds
    std::optional<jobs::JobRange> range{};
    QByteArray queue{};
    bool tasks = true; // false: leaves out tasks of arrays
    std::optional<jobs::JobId> array{}; // the array and its tasks
    QString name{}; // * stands for any characters, ? for one
    QString submitter{}; // as JobFilter::submitter
    QString worker{};
    std::optional<jobs::JobState> state{};
    std::optional<jobs::FinalRecord::Outcome> outcome{};
    std::optional<std::chrono::milliseconds> since{}; // ended then or later, Unix epoch
    std::optional<std::chrono::milliseconds> until{}; // ended earlier, Unix epoch
    QString tag{}; // a whole tag
    QString text{}; // words that begin words of name, command or tags
    // Of the jobs that `text` finds, only the `limit` that were archived last: quick, however many there are.
    bool lately = false;
    // In the id or anywhere in the record, in any case: all jobs that have it, and a few others. It reads each job that
    // the other conditions leave, so a long history is read in stretches (Store::skip()).
    QString contains{};
    // The rows are read in their order, whatever index knows those that fit. A walk in stretches (Store::skip()) reads
    // no more than a stretch so; any other query with few jobs that fit would read the whole history.
    bool walk = false;
    qsizetype limit = 200;
    Order order{};
    std::optional<Cursor> after{};
    std::optional<Cursor> downTo{}; // this one, and none that comes after it

    // Adds the filter's conditions, but for its words. The query then finds all jobs that fit, and perhaps others.
    void narrow(const jobs::JobFilter &filter);
};

struct Page {
    std::vector<ArchivedJob> entries; // in the order of the query
    std::optional<Cursor> next; // not set: this is the last page
};

enum class GroupBy { State, Outcome, Queue, Name, Submitter, Worker, Day, Hour };

// The sums over the jobs of a group.
struct GroupTotals {
    QString key; // for Day and Hour "2024-05-01", "2024-05-01T13" (UTC)
    qint64 jobs = 0;
    qint64 succeeded = 0;
    qint64 failed = 0;
    qint64 cancelled = 0;
    std::chrono::milliseconds cpuTime{};
    std::chrono::milliseconds wallTime{}; // from starts to ends
    qint64 peakMemory = 0; // bytes, the highest of any job
    std::chrono::milliseconds first{}; // the earliest end, Unix epoch; 0: not known
    std::chrono::milliseconds last{}; // the latest end, Unix epoch; 0: not known

    // Ended jobs per second between the first and the last end; 0 if both ended at one time.
    double perSecond() const;
};

// The machines that archive into a history, and how many jobs of a cluster it holds. To find that reads some rows at
// most (Store::MaxSearched), however many there are.
struct Coverage {
    QString location;
    QStringList machines; // machines that have archived
    std::chrono::milliseconds since{}; // the first archiving, by that clock; 0: none
    qint64 jobs = 0;
    std::chrono::milliseconds first{}; // the earliest end, Unix epoch
    std::chrono::milliseconds last{}; // the latest end, Unix epoch
};

// How many finished jobs are kept. 0: no limit.
struct Retention {
    std::chrono::milliseconds keepFor{}; // counted from the job's end
    qint64 keepJobs = 0;
};

// The condition of a query, as SQL for any dialect.
struct Dialect;
struct Condition {
    QString sql = QStringLiteral("1 = 1");
    QVariantList values;

    void add(const QString &term, const QVariantList &termValues);
    static Condition of(const Query &query, const Dialect &dialect);
};

QString groupName(GroupBy by); // "state", ...
std::optional<GroupBy> groupFrom(const QString &name);
const QStringList &groupNames();

} // namespace drover::history
