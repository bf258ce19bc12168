#pragma once

#include "jobs/model/json_fields.h"
#include "jobs/model/retry_policy.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace drover::jobs {

// The data of a job's node:
//
//     {"v":2, "job":"<text>", "sig":"<base64>", "cert":"<serial>", "notes":{...}}
//
// The text is a JobSpec as JSON. It is signed as the bytes that it is, so nothing changes it after the submit: whatever
// happens to the job changes the notes. An open cluster has jobs without signature and certificate. A record of version
// 1, which held the fields of both side by side, is read as an unsigned one.
struct JobRecord {
    static constexpr int Version = 2;
    static constexpr qsizetype MaxText = 64 * 1024; // bytes
    static constexpr qsizetype MaxStored = 256 * 1024; // bytes; each quote of the text takes two

    QByteArray text{};
    QByteArray signature{}; // base64; empty: not signed
    QByteArray certificate{}; // the serial of its signer's
    QJsonObject unknown{}; // fields that only newer programs know

    static JobRecord parse(const QByteArray &stored); // throws Malformed, NewerFormat
    QByteArray bytes() const;

    // Its text is that of a schedule, and a note is the tick.
    bool isOfSchedule() const { return m_notes.has("tick_ms"); }
    bool isSigned() const { return !signature.isEmpty() && !certificate.isEmpty(); }
    // The notes, for decodeRecord() and decodeNested().
    const JsonFields &notes() const { return m_notes; }
    void setNotes(const QJsonObject &notes) { m_notes = JsonFields(notes); }

private:
    static JobRecord fromFirstVersion(const JsonFields &stored);
    static const JsonFields &noNotes();

    JsonFields m_notes = noNotes();
};

// Nothing where JobRecord::parse() throws.
std::optional<JobRecord> tryParse(const QByteArray &stored);

// What workers, the master and clients note of a job once it is submitted. The cluster counts on nothing else in them:
// core/jobs/model/README.md says of each what a forger could gain.
struct JobNotes {
    static constexpr qsizetype MaxSize = 512; // bytes that they add to the node
    static constexpr qint32 MostClaims = 1 << 28; // AttemptCount stays within 32 bits

    qint32 returned = 0; // claims that were returned before the job started
    qint32 pending = 0; // claims that were to wait at their worker, and were not returned then
    qint32 lastStarted = 0; // version of the last of the pending claims that has started; 0: none
    int roomless = 0; // of `returned`, those whose worker had no room for the job within its patience
    int failed = 0; // attempts that failed and are to be retried
    int failedCode = 0; // exit code of the latest of these
    bool cancelled = false; // while it ran: no worker runs it again
    bool ready = false; // the job waits for no other job any more, whatever its spec says
    bool wasSingleton = false; // of version 1: as `ready`, of a singleton
    qint32 index = -1; // of a task: its array's spec is the task's, and this is its index
    std::chrono::milliseconds tick{}; // of a job of a signed schedule, whose text is the job's; Unix epoch
    std::chrono::milliseconds notBefore{}; // Unix epoch, servers' clock; 0: at once. A submit may set it, a retry does
    QString heldBy{}; // user@host; empty: the job is not held. A submit may set it

    void countReturned() { returned = std::min(returned + 1, MostClaims); }
    void countRoomless() { roomless = std::min(roomless + 1, MostClaims); } // besides countReturned()
    void countPending() { pending = std::min(pending + 1, MostClaims); }
    void countFailed(int exitCode, std::chrono::milliseconds retryAt)
    {
        ++failed;
        failedCode = exitCode;
        notBefore = retryAt;
    }
    void markCancelled() { cancelled = true; }
    // For the same job in another node, whose version begins at 0.
    JobNotes withoutClaims() const
    {
        return {.cancelled = cancelled,
                .ready = ready,
                .wasSingleton = wasSingleton,
                .notBefore = notBefore,
                .heldBy = heldBy};
    }

    template <class Fields, class Record>
    static void fields(Fields &each, Record &notes)
    {
        constexpr qint64 Most = 1 << 30;
        each("returned", notes.returned, {0, MostClaims});
        each("pending", notes.pending, {0, MostClaims});
        each("began_last", notes.lastStarted, {0, Most});
        each("roomless", notes.roomless, {0, MostClaims});
        each("failed", notes.failed, {0, RetryPolicy::MaxLimit});
        each("failed_code", notes.failedCode, {0, 255});
        each("cancelled", notes.cancelled);
        each("ready", notes.ready);
        each("was_singleton", notes.wasSingleton);
        each("index", notes.index, {-1, Most, -1});
        each("tick_ms", notes.tick);
        each("not_before_ms", notes.notBefore);
        each("held_by", notes.heldBy);
    }
};

// The data `stored` of a job's node after `change`, a function of JobNotes &. Text and signature stay byte for byte,
// and so do notes that this program does not know. Throws Malformed.
template <class Change>
QByteArray noted(const QByteArray &stored, const Change &change)
{
    JobRecord record = JobRecord::parse(stored);
    record.setNotes(changedObject<JobNotes>(record.notes(), change));
    return record.bytes();
}

// The data `stored` of a job's node with `part`, a record with a version of its own, in the note `name`.
template <class Record>
QByteArray notedPart(const QByteArray &stored, const char *name, const Record &part)
{
    JobRecord record = JobRecord::parse(stored);
    QJsonObject notes = record.notes().object();
    notes.insert(QLatin1String(name), recordToJson(part));
    record.setNotes(notes);
    return record.bytes();
}

// Counts the attempts at a job. Each claim raises the version of the job's node by 1. A claim that never started the
// job is not an attempt, and the node's notes say how many of those there were:
//
//     what happens                              the version rises by               an attempt?
//     claimed, and starts at once               1                                  yes, in any case
//     prefetched, and starts                    1                                  yes, in any case
//     prefetched, returned before the start     2: the claim, the note `returned`  no
//     claimed to wait at its worker             1, with the note `pending`         no
//     waits, then starts                        2: the note `lastStarted`          yes
//     waits, returned before the start          2: `returned` replaces `pending`   no
//     the attempt fails and is to be retried    0: the job moves with its version  yes
//     cancelled while it runs                   1 more: the note `cancelled`       the attempt itself is
//
// So the started attempts are: version - 2 * returned - pending, less 1 if it is cancelled.
struct AttemptCount {
    qint32 claimVersion = 0; // the node's version by the latest claim; 0: no claim
    qint32 notStarted = 0; // claims up to that one that never started the job

    // For a job's node with that version and those notes.
    static AttemptCount fromVersion(qint32 version, const JobNotes &notes);
    // For a worker that claims the job while its node has that version. number() counts the start that is to follow.
    static AttemptCount ofNextClaim(qint32 version, const JobNotes &notes);
    // After the latest claim was returned before its start.
    AttemptCount afterReturn() const { return {claimVersion, notStarted + 1}; }

    // How many attempts have started: the number that users and the job see (DROVER_ATTEMPT).
    qint32 number() const { return claimVersion - notStarted; }

    friend bool operator==(const AttemptCount &, const AttemptCount &) = default;
};

} // namespace drover::jobs
