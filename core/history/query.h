#pragma once

#include "jobs/records.h"

#include <chrono>
#include <optional>
#include <vector>

namespace drover::history {

// A finished job in the history.
struct Entry {
    QByteArray cluster;
    jobs::FinalRecord record;
    std::chrono::milliseconds endedAt{}; // Unix epoch, the ZooKeeper servers' clock: when its final record was made
    QString malformed; // one line, if the stored record could not be read: of it only id, name and times are there
};

// The entries of one cluster that are archived together.
struct Batch {
    QByteArray cluster;
    // When the cluster's nodes were made (server's clock). A cluster that is made anew gives its first ids again; its
    // jobs are others.
    std::chrono::milliseconds clusterMade{};
    std::vector<Entry> entries;
    // The token of the election of the master that archives: greater for a later one of the same cluster. 0: it is no
    // master's work, and is never refused.
    qint64 epoch = 0;
};

// Where a page ended; the next one begins after it.
struct Cursor {
    std::chrono::milliseconds endedAt{};
    qint64 sequence = 0;
};

// What to look for: everything that is set has to be true of a job.
struct Query {
    static constexpr std::size_t MaxIds = 500;

    QByteArray cluster{}; // empty: all
    std::vector<jobs::JobId> ids{}; // at most MaxIds
    std::optional<jobs::JobRange> range{};
    QByteArray queue{};
    bool tasks = true; // of arrays, too
    std::optional<jobs::JobId> array{}; // this one and its tasks
    QString name{}; // * stands for any characters, ? for one
    QString submitter{}; // the same
    QString worker{};
    std::optional<jobs::JobState> state{};
    std::optional<jobs::FinalRecord::Outcome> outcome{};
    std::optional<std::chrono::milliseconds> since{}; // ended then or later, Unix epoch
    std::optional<std::chrono::milliseconds> until{}; // ended before
    QString tag{}; // as it is
    QString text{}; // words: each has to begin a word of the name, the command or a tag
    qsizetype limit = 200;
    std::optional<Cursor> after{};
};

struct Page {
    std::vector<Entry> entries; // newest first
    std::optional<Cursor> next; // unless these were the last
};

enum class GroupBy { State, Outcome, Queue, Name, Submitter, Worker, Day, Hour };

// Jobs that have something in common, added up.
struct Group {
    QString key; // what they have in common; for Day and Hour "2024-05-01", "2024-05-01T13" (UTC)
    qint64 jobs = 0;
    qint64 succeeded = 0;
    qint64 failed = 0;
    qint64 cancelled = 0;
    std::chrono::milliseconds cpuTime{};
    std::chrono::milliseconds wallTime{}; // from their starts to their ends
    qint64 peakMemory = 0; // bytes, the highest
    std::chrono::milliseconds first{}; // ended, Unix epoch
    std::chrono::milliseconds last{};

    // Between the first and the last end; 0 if that is no time.
    double perSecond() const;
};

// What a history holds.
struct Coverage {
    QString location;
    QStringList machines; // that have archived into it
    std::chrono::milliseconds since{}; // when the first of them did, by its clock; 0: none has
    qint64 jobs = 0;
    std::chrono::milliseconds first{}; // ended, Unix epoch
    std::chrono::milliseconds last{};
};

// The master that writes, as the database compares it with others.
struct Term {
    std::chrono::milliseconds clusterMade{}; // as in Batch
    qint64 epoch = 0;
};

// What is removed. 0: no limit.
struct Retention {
    std::chrono::milliseconds keepFor{}; // since the end
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
