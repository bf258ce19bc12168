#pragma once

#include "jobs/array_indices.h"
#include "jobs/dependency.h"
#include "jobs/json_fields.h"
#include "jobs/queue_entry.h"
#include "jobs/retry_policy.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <chrono>
#include <optional>
#include <vector>

namespace drover::jobs {

// What a worker must have for a job.
struct Needs {
    int slots = 1;
    qint64 memory =
        0; // bytes; also the limit of all its processes, or, where no cgroup can, of the data of each; 0: any
    QStringList labels; // all of them

    friend bool operator==(const Needs &, const Needs &) = default;
};

// What is to be run, as submitted, and a few notes of the cluster's own; the rest never changes. Stored as JSON in the
// job's node.
struct JobSpec {
    static constexpr qsizetype MaxSize = 64 * 1024; // bytes of JSON, as submitted
    static constexpr qsizetype MaxNotes = 512; // bytes that the cluster's notes add to it
    static constexpr int MaxPriority = 9;
    static constexpr int MaxSlots = 4096;
    static constexpr int MaxGang = 256;

    QStringList command; // the program, found by the job's PATH, and its arguments: never a shell line
    Environment environment; // all of it: a job inherits nothing
    QString directory; // working directory; empty: the job's own spool directory
    QString input; // file for standard input; empty: none
    QString standardOutput; // files that get a copy of standard output and error, begun anew by each attempt: absolute
    QString standardError; // paths with the patterns of output_path.h; empty: none. Both may be one
    QString appendTo; // file that gets standard output as one record, once, when the job has succeeded; empty: none
    QString name; // for people; defaults to the program
    QByteArray queue = QByteArrayLiteral("default");
    int priority = QueueEntry::DefaultPriority; // 0 (first) to 9
    int maxAttempts = 5; // that may be lost with their workers: a job that kills them ends
    RetryPolicy retry; // of attempts that fail
    Needs needs;
    std::vector<Dependency> after; // what it waits for
    bool singleton = false; // and for all earlier jobs of its queue with its title() to end
    std::optional<ArrayIndices> array; // then it is no job but a template of jobs
    int arrayCount = 0; // of a task: how many its array has; of an array: how many they say, if not as many as it has
    int gang = 0; // of a gang, whose `array` is its members, and of these: how many start together
    QStringList locks; // named locks that it holds while it runs
    QStringList sharedLocks; // the same, shared
    QStringList limits; // named limits of which it holds one permit each
    QStringList tags; // for people and filters
    QStringList ulimits; // of each of its processes: resource_limit.h
    std::chrono::milliseconds timeLimit{}; // 0: none
    std::chrono::milliseconds killGrace{5000}; // between SIGTERM and SIGKILL
    qint64 outputLimit = 64 * 1024 * 1024; // bytes kept of each stream: all, or its beginning and its end
    QString submitter; // user@host
    QString dedupe; // made by the user: a second job with the same is not submitted; empty: none
    QString key; // made by the client: tells its submits apart after a lost reply
    std::chrono::milliseconds submittedAt{}; // Unix epoch, the client's clock: for display alone

    // The cluster's notes; the submitter may set the last two.
    int returned = 0; // claims given back before the job had begun: they raised the version and were no attempts
    // Claims that were to wait first, and were not given back then. One that has begun raised the version twice, one
    // that was lost with its worker before that once and was no attempt.
    int pending = 0;
    int beganLast = 0; // the last of these claims that has begun
    int roomless = 0; // of `returned`, those whose worker had no room for it within its patience
    int failed = 0; // attempts that failed and are to be retried
    int failedCode = 0; // exit code of the latest of these
    bool cancelled = false; // while it ran: that raised the version, too, and nobody runs it again
    bool wasSingleton = false; // it was one, and waits no more
    std::chrono::milliseconds notBefore{}; // Unix epoch; 0: as soon as may be
    QString heldBy; // user@host; not to run before somebody releases it

    // Throws SpecTooLarge.
    QByteArray encode() const;
    // Throws Malformed.
    static JobSpec decode(const QByteArray &bytes, const QByteArray &queue, int priority);

    // The stored form `bytes` with another note: one more claim given back, one more that is to wait, that claim has
    // begun, one more failure, its exit code and the time of the retry, cancelled, held or released (""), no longer
    // waiting. All else stays, known to this program or not. Throw Malformed.
    static QByteArray countReturned(const QByteArray &bytes);
    static QByteArray countRoomless(const QByteArray &bytes); // besides countReturned()
    static QByteArray countPending(const QByteArray &bytes);
    static QByteArray markBegun(const QByteArray &bytes, qint32 claim);
    static QByteArray countFailed(const QByteArray &bytes, std::chrono::milliseconds notBefore, int exitCode);
    static QByteArray markCancelled(const QByteArray &bytes);
    static QByteArray markHeld(const QByteArray &bytes, const QString &by);
    static QByteArray markReady(const QByteArray &bytes);
    // The job itself, for another submit of the same, with its priority: without what was said of this submit alone (who,
    // when, not before, held, after which jobs, dedupe).
    QJsonObject toRepeat() const;
    static JobSpec repeating(const QJsonObject &job, const QByteArray &queue); // throws Malformed

    // For another node: with another key, and without what was noted of its claims.
    static QByteArray asNew(const QByteArray &bytes, const QString &key);

    // What the version of the job's node says: the number of the latest claim, how many attempts have begun, and how
    // many of them were lost with their workers, the one under way included.
    qint32 latestClaim(qint32 version) const
    {
        const qint32 latest = uncancelled(version);
        return beganLast > 0 && beganLast == latest - 1 ? beganLast : latest;
    }
    qint32 begun(qint32 version) const { return uncancelled(version) - 2 * returned - pending; }
    qint32 lost(qint32 version) const { return begun(version) - failed; }

    // Where its node is to be.
    QueueEntry::Class entryClass() const;
    bool waits() const { return notBefore.count() > 0 || !after.empty() || singleton; }

    QString title() const { return name.isEmpty() ? command.value(0) : name; }

private:
    QJsonObject toJson() const;
    static JobSpec fromJson(const JsonFields &fields, const QByteArray &queue, int priority);
    qint32 uncancelled(qint32 version) const { return cancelled ? version - 1 : version; }
};

class SpecTooLarge : public std::runtime_error
{
public:
    explicit SpecTooLarge(qsizetype size);
};

} // namespace drover::jobs
