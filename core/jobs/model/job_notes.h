#pragma once

#include "jobs/model/json_fields.h"
#include "jobs/model/retry_policy.h"

#include <algorithm>
#include <chrono>

namespace drover::jobs {

// What workers, the master and clients note of a job once it is submitted: fields beside the spec in the data of the
// job's node.
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
    bool wasSingleton = false; // the job was a singleton, and waits for no other job any more
    std::chrono::milliseconds notBefore{}; // Unix epoch; 0: at once. A submit may set it, a retry does
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
        return {.cancelled = cancelled, .wasSingleton = wasSingleton, .notBefore = notBefore, .heldBy = heldBy};
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
        each("was_singleton", notes.wasSingleton);
        each("not_before_ms", notes.notBefore);
        each("held_by", notes.heldBy);
    }
};

// The data `stored` of a job's node after `change`, a function of JobNotes &. The spec stays as it is stored, with the
// fields that this program does not know. Throws Malformed.
template <class Change>
QByteArray noted(const QByteArray &stored, const Change &change)
{
    return changedRecord<JobNotes>(stored, change);
}

// Counts the attempts at a job. Each claim raises the version of the job's node by 1. A claim that never started the
// job is not an attempt, and the node's notes say how many of those there were:
//
//     what happens                              the version rises by               an attempt?
//     claimed, and starts at once               1                                  yes, in any case
//     claimed ahead of a free slot              1                                  yes, in any case
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
