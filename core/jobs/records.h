#pragma once

#include "jobs/job_id.h"
#include "jobs/job_spec.h"

#include <optional>
#include <vector>

namespace drover::jobs {

enum class JobState { Held, Waiting, Ready, Running, Succeeded, Failed, Cancelled };

bool isFinal(JobState state);
QString stateName(JobState state); // "held", "waiting", ...
// Of a job with such an entry in its queue and no claim. An array that is being unfolded is ready.
JobState unclaimedState(QueueEntry::Class jobClass);

struct Claim;
// Of one with that claim. What waits at its worker, for a lock or for room, does not run.
JobState claimedState(const Claim &claim);

// What runs a job now: the data of its ephemeral claim, in which clients leave requests for the worker. Who changes it
// names its version, lest another's request is lost.
struct Claim {
    static constexpr int KeptSignals = 16;

    struct Signal {
        int number = 0;
        QString key; // made by who sends it, to find it again

        friend bool operator==(const Signal &, const Signal &) = default;
    };

    QString worker;
    int attempt = 1; // the version that the claim gave the job's node: its fence, and in the names of its output files
    QByteArray entry; // the job's node name in its queue
    bool cancelled = false; // the worker kills the job
    int slotCount = 1; // that the job takes of its worker's
    // "lock db": what it waits for at its worker, when that takes a while; empty: it runs, or will soon.
    QString waits{};
    // Of `waits`: it has its slots already, and keeps them for its round.
    static constexpr QLatin1String ItsGang{"the other members of its gang"};
    bool pending = false; // it is to wait there and has not begun: who deletes the claim keeps it from beginning
    // It was claimed for a slot that was not free, and begins or is given back within a moment, without a word to
    // anybody. The worker takes the mark away once the job runs.
    bool ahead = false;
    bool requeue = false; // it kills the job and gives it back
    int signalCount = 0; // sent so far: the worker knows how many of them it has passed on
    std::vector<Signal> latestSignals{}; // at most KeptSignals
    int unbegun = 0; // of the claims up to this one, those that were no attempts

    // The attempt's number, as people count: with this one.
    int number() const { return attempt - unbegun; }
    // False while it waits at its worker, if that is known.
    bool hasBegun() const { return !pending && !ahead && waits.isEmpty(); }
    bool takesSlots() const { return hasBegun() || waits == ItsGang; }

    void addSignal(int number, const QString &key);
    bool hasSignal(const QString &key) const;

    QByteArray encode() const;
    static Claim decode(const QByteArray &bytes); // throws Malformed
};

// How a job ended; written once, never changed. At most 16 KiB as JSON: command and output are cut to fit.
struct FinalRecord {
    static constexpr qsizetype MaxSize = 16 * 1024;
    static constexpr qsizetype MaxTail = 4 * 1024;

    enum class Outcome {
        Exited, // code
        Signalled, // signal
        TimedOut, // its time limit
        NotStarted, // no such program, no such directory; code is 127 or 126
        Cancelled, // by a user, running or not
        GaveUp, // as many attempts as allowed were lost with their workers
        Malformed, // its specification could not be read
    };

    JobId id;
    Outcome outcome = Outcome::Exited;
    int code = 0;
    int signal = 0;
    QString reason; // one line, when there is more to say
    int attempt = 0; // as in its claim
    int unbegun = 0; // the same
    QString worker;
    QString name;
    QStringList command;
    QString submitter;
    QStringList tags; // by which jobs that have ended are still found
    QString key;
    std::chrono::milliseconds submittedAt{}; // Unix epoch, as are the next two
    std::chrono::milliseconds startedAt{};
    std::chrono::milliseconds finishedAt{};
    std::chrono::milliseconds cpuTime{};
    qint64 peakMemory = 0; // bytes, of the largest process
    qint32 failedTasks = 0; // of an array
    std::optional<JobId> movedTo; // the job in another queue that it has become
    qint64 outputBytes = 0; // written by the job to standard output and error; more than was kept, if truncated
    bool outputTruncated = false;
    QByteArray tail; // the end of the output
    // JobSpec::toRepeat(), without the command, the name and the tags that are whole above. Empty: of a task, whose
    // array has it, of a job that was moved or could not be read, and of what is too large to be kept.
    QJsonObject repeat;

    int number() const { return attempt - unbegun; } // of attempts that had begun
    JobState state() const;
    // The job's own code, 128 + its signal, 124 for a time limit, 125 where there is none.
    int exitCode() const;

    QByteArray encode() const;
    static FinalRecord decode(const QByteArray &bytes, const JobId &id); // throws Malformed

    // The job to submit for another run of the same, if the record has it. Throws Malformed.
    std::optional<JobSpec> jobToRepeat() const;

    // With what the record repeats of the job.
    static FinalRecord of(const JobId &id, const JobSpec &spec);
    // Of a job that ends then, without a run of its own. `version`: of its node; 0: it counts no claims.
    static FinalRecord withoutRun(const JobId &id, const JobSpec &spec, Outcome outcome, const QString &reason,
                                  qint32 version, std::chrono::milliseconds finishedAt);

private:
    QByteArray encode(qsizetype textLimit, qsizetype tailLimit, const QJsonObject &job) const;
};

QString outcomeName(FinalRecord::Outcome outcome); // "exited", ...

// A member of the cluster, as it describes itself.
struct WorkerInfo {
    QString id;
    QString host;
    qint64 pid = 0;
    int slotCount = 0;
    qint64 memory = 0; // bytes for its jobs
    QStringList labels;
    qint64 cordon = 0; // the transaction of the cordon that it obeys: it claims nothing
    QString trouble; // why its machine could not run a job when it last tried, one line; empty: it could
    QStringList queues;
    QString spool; // absolute path on that host
    QString spoolPlace; // which directory of which running machine that is: output::placeOf(); empty: it cannot tell
    QString endpoint; // "host:port" where its spool can be read: output::RemoteOutput; empty: nowhere
    QString history; // where it archives when it is master, for people; empty: nowhere
    std::chrono::milliseconds startedAt{};
    QString version;

    QByteArray encode() const;
    static WorkerInfo decode(const QByteArray &bytes); // throws Malformed
};

// The master's summary for consoles and `top`, once a second.
struct ClusterStats {
    struct Queue {
        QByteArray name;
        qint64 unfinished = 0;
        qint64 submitted = 0; // since the queue was made
    };
    // How archiving goes.
    struct Archive {
        QString history; // where, for people
        std::optional<qint64> backlog{}; // final records that are not in it yet; nothing: a new master has yet to look
        QString error; // one line while it fails
        std::chrono::milliseconds failingSince{}; // Unix epoch
        qint64 lost = 0; // deleted without being archived, under this master: done/ was full
        qint64 aside = 0; // final records that the master may not read: they stay in done/
        std::chrono::milliseconds pausedSince{}; // Unix epoch: claims pause, because too many wait; 0: they do not
    };
    // A part of the master's work that fails and is tried again, while the rest goes on.
    struct Trouble {
        QString subject; // "queue gpu", "schedules"
        QString error; // one line
        std::chrono::milliseconds since{}; // Unix epoch
    };
    QString master;
    std::chrono::milliseconds masterSince{}; // Unix epoch: when it was elected
    std::chrono::milliseconds at{}; // the same
    qint64 workers = 0;
    qint64 claimed = 0; // jobs that run or wait at their workers
    qint64 done = 0; // final records kept
    std::vector<Queue> queues;
    std::optional<Archive> archive; // if a history is kept
    std::vector<Trouble> troubles; // the first of them

    QByteArray encode() const;
    static ClusterStats decode(const QByteArray &bytes); // throws Malformed
};

} // namespace drover::jobs
