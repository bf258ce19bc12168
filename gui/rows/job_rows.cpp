#include "gui/rows/job_rows.h"

#include "gui/text/format.h"
#include "jobs/model/array_progress.h"

#include <QCoreApplication>

namespace drover::gui {

using jobs::JobState;

namespace {

struct Rows {
    Q_DECLARE_TR_FUNCTIONS(Rows)
};

// Throws Malformed.
void describeProgress(JobRow &row, const zk::Node &node, const jobs::ArrayIndices &indices)
{
    const jobs::ArrayProgress progress = jobs::ArrayProgress::of(node.data, indices);
    row.attempt = progress.begun() ? 1 : 0;
    row.progress = progress.toString(indices.count());
    if (progress.begun()) {
        row.state = JobState::Running;
        row.since = progress.begunAt.count();
    }
}

// What an unfinished job waits for before it is ready, as far as its node says it.
QString waitsOf(const jobs::JobSpec &spec)
{
    QStringList parts;
    if (!spec.notes.heldBy.isEmpty())
        parts << Rows::tr("release, held by %1").arg(spec.notes.heldBy);
    if (!spec.notes.ready) { // else it has waited for these already
        if (!spec.after.empty())
            parts << jobs::toStrings(spec.after).join(QStringLiteral(", "));
        if (spec.singleton)
            parts << Rows::tr("earlier jobs of this name");
    }
    if (const qint64 startsAt = spec.notes.notBefore.count(); startsAt > 0)
        parts << (spec.notes.failed > 0 ? Rows::tr("its retry at %1") : Rows::tr("its start at %1"))
                     .arg(formatSince(startsAt));
    return parts.join(QStringLiteral("; "));
}

QString commentOf(const jobs::FinalRecord &record)
{
    try {
        const std::optional<jobs::JobSpec> job = record.jobToResubmit();
        return job ? job->comment : QString();
    } catch (const jobs::Malformed &) {
        return {}; // the rest of the record can be read
    }
}

} // namespace

JobRow unfinishedRow(JobRow row, const zk::Node &node, int priority)
{
    row.loaded = true;
    row.priority = priority;
    row.attempt = node.stat.version;
    row.since = node.stat.ctime;
    try {
        const jobs::JobSpec spec = jobs::JobSpec::decode(node.data, row.id.queue, priority);
        row.attempt = spec.attempts(node.stat.version).number();
        row.failed = spec.notes.failed;
        row.failedCode = spec.notes.failedCode;
        row.name = spec.title();
        row.command = spec.command;
        row.comment = spec.comment;
        row.tags = spec.tags;
        row.submitter = spec.submitter;
        row.waits = waitsOf(spec);
        row.startsAt = spec.notes.notBefore.count();
        if (spec.array)
            describeProgress(row, node, *spec.array);
    } catch (const jobs::Malformed &error) {
        row.note = QString::fromUtf8(error.what());
    }
    return row;
}

JobRow endedRow(JobRow row, const zk::Node &node)
{
    try {
        return endedRow(jobs::FinalRecord::decode(node.data, row.id), node.stat.ctime);
    } catch (const jobs::Malformed &error) {
        row.loaded = true;
        row.state = JobState::Failed;
        row.since = node.stat.ctime;
        row.note = QString::fromUtf8(error.what());
    }
    return row;
}

JobRow endedRow(const jobs::FinalRecord &record, qint64 endedAt)
{
    JobRow row;
    row.id = record.id;
    row.loaded = true;
    row.since = endedAt;
    row.state = record.state();
    row.name = record.name;
    row.command = record.command;
    row.worker = record.worker;
    row.attempt = record.attempts.number();
    row.note = record.reason;
    row.comment = commentOf(record);
    row.tags = record.tags;
    row.submitter = record.submitter;
    if (record.startedAt.count() != 0)
        row.exitCode = record.exitCode();
    return row;
}

QString pauseText(const jobs::QueueSettings &settings)
{
    const QString by = Rows::tr("paused by %1").arg(settings.pausedBy);
    return settings.why.isEmpty() ? by : Rows::tr("%1: %2", "paused by X, why").arg(by, settings.why);
}

QString waitsForQueue(const jobs::QueueSettings &settings)
{
    // The reason first: a column may cut the rest.
    return settings.why.isEmpty() ? Rows::tr("paused queue, by %1").arg(settings.pausedBy)
                                  : Rows::tr("paused queue: %1 (%2)", "why, who").arg(settings.why, settings.pausedBy);
}

QString waitsAtWorker(const jobs::Claim &claim)
{
    if (!claim.waits.isEmpty() || claim.hasBegun())
        return claim.waits;
    return Rows::tr("its turn at its worker");
}

QString noteOn(const jobs::Claim &claim)
{
    if (claim.cancelled)
        return Rows::tr("cancelled; its worker is ending it");
    if (claim.prefetched)
        return Rows::tr("claimed for the next free slot");
    return claim.waits.isEmpty() ? QString() : Rows::tr("waits for %1").arg(claim.waits);
}

} // namespace drover::gui
