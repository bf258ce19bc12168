#pragma once

#include "jobs/model/array_indices.h"
#include "jobs/model/dependency.h"
#include "jobs/model/job_notes.h"
#include "jobs/model/queue_entry.h"
#include "jobs/model/retry_policy.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <chrono>
#include <functional>
#include <optional>
#include <vector>

namespace drover::jobs {

// The resources that a job needs from its worker.
struct Needs {
    int slots = 1;
    // Bytes; 0: none. Also the limit of all its processes together, or of the data of each without control groups.
    qint64 memory = 0;
    QStringList labels; // the worker must have all of them

    friend bool operator==(const Needs &, const Needs &) = default;
};

// For when and where a signature of a job holds. Part of the signed text; empty in jobs that are not signed.
struct SignedTerms {
    QByteArray queue{};
    std::chrono::milliseconds signedAt{}; // Unix epoch, as are the others
    std::chrono::milliseconds notBefore{}; // 0: at once
    std::chrono::milliseconds startBy{};

    friend bool operator==(const SignedTerms &, const SignedTerms &) = default;
};

// How the reference to a secret begins: "file:/absolute/path" or "env:VARIABLE", where its worker reads the value.
constexpr QStringView SecretInFile = u"file:";
constexpr QStringView SecretInVariable = u"env:";

// Why no job can have this secret; empty: it can. `name` is the variable that the job gets.
QString objectionToSecret(const QString &name, const QString &reference);

// A job as submitted, and a few notes of the cluster. Only the notes change. Stored as JobRecord in the job's node.
struct JobSpec {
    static constexpr qsizetype MaxSize = JobRecord::MaxText; // bytes of its text
    static constexpr qsizetype MaxName = 256; // bytes of UTF-8, for a new job; records with longer names are read
    static constexpr qsizetype MaxComment = 256;
    static constexpr int MaxPriority = 9;
    static constexpr int MaxSlots = 4096;
    static constexpr int MaxGang = 256;
    static constexpr std::size_t MaxSecrets = 16;
    // How many given-back claims, or rounds of a gang, cost no attempt. Further ones do, because the job may cause
    // them.
    static constexpr int MaxForgiven = 100;
    static constexpr std::chrono::hours MaxKillGrace{24};

    QStringList command; // the program and its arguments; not a shell line
    Environment environment; // the whole environment: a job inherits no variables
    // Variables whose values the worker reads when the job starts, and the references to these: objectionToSecret().
    // The values are in no record.
    Environment secrets;
    QString directory; // working directory; empty: a directory in the spool
    QString runAs; // a user of the worker's machine whose process it is; empty: the worker's own
    QString input; // file for standard input; empty: none
    // Files that get a copy of standard output and error, from the beginning of each attempt: absolute paths with the
    // patterns of output_path.h. Empty: no copy. Both may be one file.
    QString standardOutput;
    QString standardError;
    // The file that gets standard output as one record, once, when the job has succeeded. Empty: none.
    QString appendTo;
    QString name; // for people; defaults to the program
    QString comment; // for people: one line of at most MaxComment characters
    QByteArray queue = QByteArrayLiteral("default");
    int priority = QueueEntry::DefaultPriority; // 0 (first) to 9
    int maxAttempts = 5; // limit of attempts that are lost with their workers
    RetryPolicy retry; // of attempts that fail
    Needs needs;
    std::vector<Dependency> after; // the jobs that it waits for
    bool singleton = false; // it also waits for all earlier jobs with its title()
    std::optional<ArrayIndices> array; // set: it is a template of jobs, its tasks
    std::optional<ArrayIndices> ofArray; // of a task: its array's indices; not stored
    // Of a task: the number of tasks in its array. Of an array: the number that its tasks show, if it differs from
    // theirs.
    int arrayCount = 0;
    int gang = 0; // of a gang and of its members: how many start together
    QStringList locks; // named locks that it holds while it runs
    QStringList sharedLocks; // named locks that it holds shared while it runs
    QStringList limits; // named limits of which it holds one permit each
    QStringList tags; // for people and filters
    QStringList ulimits; // of each of its processes: resource_limit.h
    std::chrono::milliseconds timeLimit{}; // 0: none
    std::chrono::milliseconds killGrace{5000}; // between SIGTERM and SIGKILL; MaxKillGrace at most
    qint64 outputLimit = 64 * 1024 * 1024; // kept bytes of each stream
    QString submitter; // user@host
    QString dedupe; // from the user: refuses a second job with it; or empty
    QString key; // from the client: finds its job after a lost reply
    std::chrono::milliseconds submittedAt{}; // Unix epoch, the client's clock: for display alone

    SignedTerms terms;

    JobNotes notes;

    // The record of a new job, not signed. Throws SpecTooLarge.
    JobRecord record() const;
    QByteArray encode() const { return record().bytes(); }
    void requireFits() const { static_cast<void>(record()); } // throws SpecTooLarge
    // The job as its notes have it: one that is ready waits for no other job, and a task is no array. Throws Malformed.
    static JobSpec decode(const JobRecord &record, const QByteArray &queue, int priority);
    static JobSpec decode(const QByteArray &stored, const QByteArray &queue, int priority);

    // The text alone, for records that contain it. Throw Malformed.
    QJsonObject toJson() const;
    static JobSpec fromJson(const QJsonObject &text, const QByteArray &queue, int priority);

    // The key of the job of a schedule's tick.
    static QString keyOfTick(const QString &schedule, std::chrono::milliseconds tick);

    // The job waits for no time and no other job any more. Throws Malformed.
    static QByteArray markReady(const QByteArray &stored);
    // The job for another node, not signed: with `change`, which gives it another key, and without the notes of its
    // claims. Fields that this program does not know stay. Throws Malformed.
    static JobRecord asNew(const QByteArray &stored, const std::function<void(JobSpec &)> &change);

    // The job for another submit, with its priority. It lacks what concerned this submit alone: submitter, times, hold,
    // dependencies, dedupe.
    QJsonObject toResubmit() const;
    static JobSpec repeating(const QJsonObject &job, const QByteArray &queue); // throws Malformed

    // How many attempts a node of this version has had, the one under way included, and how many of these were lost
    // with their workers.
    AttemptCount attempts(qint32 version) const { return AttemptCount::fromVersion(version, notes); }
    qint32 attemptsLost(qint32 version) const { return attempts(version).number() - notes.failed; }

    // The class of its node.
    QueueEntry::Class entryClass() const;
    bool waits() const { return notes.notBefore.count() > 0 || !after.empty() || singleton; }

    QString title() const { return name.isEmpty() ? command.value(0) : name; }

    template <class Fields, class Record>
    static void fields(Fields &each, Record &job);

private:
    static JobSpec from(const JsonFields &stored, const QByteArray &queue, int priority);
    static JobSpec ofTick(const JsonFields &schedule, std::chrono::milliseconds tick, const QByteArray &queue,
                          int priority);
    void requireValid() const;
    void becomeTask();
};

// A job whose node is to be created.
struct NewJob {
    JobSpec spec; // with a key that no other job has
    QByteArray data; // of the node: the spec's record
};

} // namespace drover::jobs
