#pragma once

#include "trust/certificate.h"

#include <QString>

#include <chrono>

namespace drover::jobs {

// What people do to a cluster that is to be known afterwards. Submits are not among it: a job says whose it is.
enum class AuditAction {
    JobCancelled,
    JobHeld,
    JobReleased,
    JobRequeued,
    JobSignalled,
    JobPriority,
    JobMoved,
    QueuePaused,
    QueueResumed,
    QueueLimited,
    LimitSet,
    WorkerCordoned,
    WorkerDrained,
    WorkerUncordoned,
    CronAdded,
    CronReplaced,
    CronRemoved,
    CronPaused,
    CronResumed,
    SettingsChanged,
    MasterDeposed,
    UserAdded,
    UserRemoved,
    KeyRotated,
    KeyRevoked,
    RevocationsPublished,
    RootRotationBegun,
    RootRotationEnded,
    RootRotationAbandoned,
    ClusterClosed,
    ZnodeCreated, // these by the console; what commands change for scripts leaves no entry
    ZnodeWritten,
    ZnodeAclChanged,
    ZnodesCopied,
    ZnodesMoved,
    ZnodesDeleted,
    ZnodesImported,
    LockAsked, // its holder, to let go
    LockBroken,
};

QString actionName(AuditAction action); // "job-cancelled"

// One change: the text that its author signs.
struct AuditEntry {
    static constexpr qsizetype MaxDetail = 1000; // characters

    QByteArray id{}; // hex digits; the name of its node, so that a copy elsewhere is none
    QString action{}; // actionName(), or that of a newer program
    QString target{}; // the job, queue, limit, worker, schedule or person; "cluster"; the path of a znode
    QString detail{}; // "priority 7"; one line
    QString by{}; // the name in the certificate; in an open cluster user@host, which nothing proves
    std::chrono::milliseconds at{}; // Unix epoch, by the author's clock

    QByteArray encode() const;
    static AuditEntry decode(const QByteArray &bytes); // throws Malformed
    template <class Fields, class Record>
    static void fields(Fields &each, Record &entry);
};

// What the node audit/<id> holds: the text and who has signed it. A text without a signature is of an open cluster.
struct SignedEntry {
    QString text{};
    QByteArray signature{}; // base64
    QByteArray certificate{}; // its serial

    // Whether this key has signed it, in that cluster.
    bool isSignedBy(const trust::PublicKey &key, const QByteArray &clusterId) const;

    QByteArray encode() const;
    static SignedEntry decode(const QByteArray &bytes); // throws Malformed
    template <class Fields, class Record>
    static void fields(Fields &each, Record &entry);
};

} // namespace drover::jobs
