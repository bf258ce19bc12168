#pragma once

#include "jobs/json_fields.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <chrono>

namespace drover::jobs {

// What is to be run, as submitted, and two notes of the cluster's own; the rest never changes. Stored as JSON in the
// job's node.
struct JobSpec {
    static constexpr qsizetype MaxSize = 64 * 1024; // bytes of JSON, as submitted
    static constexpr qsizetype MaxNotes = 64; // bytes that the cluster's notes add to it
    static constexpr int MaxPriority = 9;

    QStringList command; // the program, found by the job's PATH, and its arguments: never a shell line
    Environment environment; // all of it: a job inherits nothing
    QString directory; // working directory; empty: the job's own spool directory
    QString input; // file for standard input; empty: none
    QString appendTo; // file that gets standard output as one record, once, when the job has succeeded; empty: none
    QString name; // for people; defaults to the program
    QByteArray queue = QByteArrayLiteral("default");
    int priority = 5; // 0 (first) to 9
    int maxAttempts = 5; // crashes included: a job that kills its workers ends
    std::chrono::milliseconds timeLimit{}; // 0: none
    std::chrono::milliseconds killGrace{5000}; // between SIGTERM and SIGKILL
    qint64 outputLimit = 64 * 1024 * 1024; // bytes kept of standard output, and of standard error
    QString submitter; // user@host
    QString key; // made by the client: tells its submits apart after a lost reply
    int returned = 0; // claims given back before the job had begun: they raised the version and were no attempts
    bool cancelled = false; // while it ran: that raised the version, too, and nobody runs it again
    std::chrono::milliseconds submittedAt{}; // Unix epoch, the client's clock: for display alone

    // Throws SpecTooLarge.
    QByteArray encode() const;
    // Throws Malformed.
    static JobSpec decode(const QByteArray &bytes, const QByteArray &queue, int priority);

    // The stored form `bytes` with one more claim given back, and cancelled. Throw Malformed.
    static QByteArray countReturned(const QByteArray &bytes);
    static QByteArray markCancelled(const QByteArray &bytes);

    // What the version of the job's node says: the number of the latest claim, and how many attempts have begun.
    qint32 latestClaim(qint32 version) const { return version - (cancelled ? 1 : 0); }
    qint32 begun(qint32 version) const { return latestClaim(version) - 2 * returned; }

    QString title() const { return name.isEmpty() ? command.value(0) : name; }
};

class SpecTooLarge : public std::runtime_error
{
public:
    explicit SpecTooLarge(qsizetype size);
};

} // namespace drover::jobs
