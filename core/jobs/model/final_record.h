#pragma once

#include "jobs/model/array_progress.h"
#include "jobs/model/job_id.h"
#include "jobs/model/job_notes.h"
#include "jobs/model/job_spec.h"
#include "jobs/model/job_state.h"

#include <optional>

namespace drover::jobs {

// The end of a job, written once and never changed. At most 16 KiB as JSON: command and output are cut to fit.
struct FinalRecord {
    static constexpr qsizetype MaxSize = 16 * 1024;
    static constexpr qsizetype MaxTail = 4 * 1024;

    enum class Outcome {
        Exited, // code
        Signalled, // signal
        TimedOut, // its time limit
        NotStarted, // program or directory not found; code is 127 or 126
        Cancelled, // by a user, running or not
        GaveUp, // all allowed attempts were lost with their workers
        Malformed, // its specification could not be read
        Refused, // it may not run: no person who may submit it has signed it, or a worker's owner forbids it
    };

    JobId id;
    Outcome outcome = Outcome::Exited;
    int code = 0;
    int signal = 0;
    QString reason; // one line with details, or empty
    AttemptCount attempts; // as in its claim
    QString worker;
    QString name;
    QStringList command;
    QString submitter;
    QStringList tags; // searches find ended jobs by them
    QString key;
    std::chrono::milliseconds submittedAt{}; // Unix epoch, as are the next two
    std::chrono::milliseconds startedAt{};
    std::chrono::milliseconds finishedAt{};
    std::chrono::milliseconds cpuTime{};
    qint64 peakMemory = 0; // bytes, of the largest process
    qint32 failedTasks = 0; // of an array
    // Of an array: the places of tasks that were cancelled before they were made, as far as it is known. They have no
    // records of their own; neverMadeTasks() makes them.
    PlaceSet neverMade;
    std::optional<JobId> movedTo; // the new job in another queue
    qint64 outputBytes = 0; // written by the job to both streams, kept or not
    bool outputTruncated = false;
    QByteArray tail; // the end of the output
    // JobSpec::toResubmit(), without command, name and tags if these are complete above. Empty for a task (its array
    // has it), for a job that was moved or could not be read, and if it is too large.
    QJsonObject repeat;
    // Of a signed job, in the place of `repeat`: the text as it was signed, with its signature. So who resubmits the
    // job, and signs it, can tell who has asked for it first. From keepSigned().
    QJsonObject proof;

    JobState state() const;
    // The job's own exit code, 128 + its signal, 124 for a time limit, 125 if there is none.
    int exitCode() const;

    QByteArray encode() const;
    static FinalRecord decode(const QByteArray &bytes, const JobId &id); // throws Malformed

    // The job to submit again, if the record contains all of it. Throws Malformed.
    std::optional<JobSpec> jobToResubmit() const;

    // The records of this array's tasks from index `first` to `last` that were cancelled before they were made, in
    // ascending order. A task is missing if the record does not say so.
    std::vector<FinalRecord> neverMadeTasks(qint32 first, qint32 last) const;
    // The record of such a task of an array with this spec.
    static FinalRecord ofNeverMade(const JobId &task, const JobSpec &array, std::chrono::milliseconds finishedAt);
    // Keeps what was signed, from the data of the job's node, if the record holds the job at all. What cannot be read,
    // or is not signed, changes nothing.
    void keepSigned(const QByteArray &stored, int priority);
    // What keepSigned() has kept. The record is not signed itself, so verify it.
    std::optional<JobRecord> signedJob() const;

    // A record with the fields that it copies from the job.
    static FinalRecord of(const JobId &id, const JobSpec &spec);
    // The record of a job that ends without a run. `version` is its node's version; 0: without claims.
    static FinalRecord withoutRun(const JobId &id, const JobSpec &spec, Outcome outcome, const QString &reason,
                                  qint32 version, std::chrono::milliseconds finishedAt);

    template <class Fields, class Record>
    static void fields(Fields &each, Record &record);

private:
    QString submittedIndices() const; // of an array, as ArrayIndices::parse() reads them; empty if it is not known
};

QString outcomeName(FinalRecord::Outcome outcome); // "exited", ...

} // namespace drover::jobs
