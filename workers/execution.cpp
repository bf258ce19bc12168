#include "workers/execution.h"

#include "jobs/output_path.h"
#include "workers/holding.h"

namespace drover::workers {

using jobs::FinalRecord;

namespace {

QString spoolFile(const QString &spool, const jobs::JobId &id, int attempt, const char *kind)
{
    return QStringLiteral("%1/%2.%3.%4").arg(spool, id.toString()).arg(attempt).arg(QLatin1String(kind));
}

FinalRecord::Outcome outcomeOf(How how, int signal)
{
    switch (how) {
    case How::TimedOut:
        return FinalRecord::Outcome::TimedOut;
    case How::FailedToStart:
        return FinalRecord::Outcome::NotStarted;
    case How::Killed:
        return FinalRecord::Outcome::Cancelled;
    default:
        return signal ? FinalRecord::Outcome::Signalled : FinalRecord::Outcome::Exited;
    }
}

constexpr qint64 MegaByte = qint64(1024) * 1024;

} // namespace

QString outputFile(const QString &spool, const jobs::JobId &id, int attempt)
{
    return spoolFile(spool, id, attempt, "out");
}

QString errorFile(const QString &spool, const jobs::JobId &id, int attempt)
{
    return spoolFile(spool, id, attempt, "err");
}

QByteArray noteOf(const ClaimedJob &job)
{
    return job.id.bytes() + ' ' + job.entry.name() + ' ' + QByteArray::number(job.attempt) + ' '
        + QByteArray::number(job.token) + ' ' + QByteArray::number(job.begun);
}

std::optional<ClaimedJob> jobOfNote(const QByteArray &note)
{
    const QByteArrayList words = note.split(' ');
    if (words.size() != 5)
        return std::nullopt;
    const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromLatin1(words[0]));
    const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(words[1]);
    if (!id || !entry)
        return std::nullopt;
    ClaimedJob job;
    job.id = *id;
    job.entry = *entry;
    job.attempt = words[2].toInt();
    job.token = words[3].toLongLong();
    job.begun = words[4].toLongLong();
    return job;
}

Command commandOf(const ClaimedJob &job, const QString &spool, const QList<QByteArray> &extra)
{
    const jobs::JobSpec &spec = job.spec;
    Command command;
    for (const QString &argument : spec.command)
        command.arguments.append(argument.toLocal8Bit());
    for (const auto &[name, value] : spec.environment) {
        if (!name.startsWith(u"DROVER_")) // ours come below, and the first of two would win
            command.environment.append(name.toLocal8Bit() + '=' + value.toLocal8Bit());
    }
    command.environment.append(extra);
    command.environment.append("DROVER_JOB_ID=" + job.id.bytes());
    command.environment.append("DROVER_QUEUE=" + job.id.queue);
    command.environment.append("DROVER_ATTEMPT=" + QByteArray::number(job.number()));
    command.environment.append("DROVER_FENCE=" + QByteArray::number(job.token));
    if (job.id.isTask() && spec.gang == 0) {
        command.environment.append("DROVER_ARRAY_ID=" + job.id.array().bytes());
        command.environment.append("DROVER_ARRAY_INDEX=" + QByteArray::number(job.id.task));
        command.environment.append("DROVER_ARRAY_COUNT=" + QByteArray::number(spec.arrayCount));
    }
    if (job.held)
        command.environment.append(job.held->environment);
    command.directory = spec.directory.isEmpty() ? spool : spec.directory;
    command.input = spec.input;
    command.output = outputFile(spool, job.id, job.attempt);
    command.error = errorFile(spool, job.id, job.attempt);
    command.outputCopy = jobs::expanded(spec.standardOutput, job.id, spec.title());
    command.errorCopy = jobs::expanded(spec.standardError, job.id, spec.title());
    if (spec.gang == 0) // a member's end counts only as long as it has its place in the round
        command.note = noteOf(job);
    command.outputCap = static_cast<quint64>(spec.outputLimit);
    command.memory = static_cast<quint64>(spec.needs.memory);
    for (const QString &limit : spec.ulimits) {
        if (const std::optional<jobs::ResourceLimit> parsed = jobs::ResourceLimit::parse(limit))
            command.limits.append(*parsed);
    }
    command.timeLimit = spec.timeLimit;
    command.grace = spec.killGrace;
    return command;
}

FinalRecord recordOf(const ClaimedJob &job, const QString &worker, const Outcome &outcome)
{
    FinalRecord record = FinalRecord::of(job.id, job.spec);
    record.outcome = outcomeOf(outcome.how, outcome.signal);
    record.code = outcome.exitCode;
    record.signal = outcome.signal;
    record.reason = outcome.outOfMemory
        ? QStringLiteral("out of memory (limit %1 MB)").arg(job.spec.needs.memory / MegaByte)
        : outcome.reason;
    record.attempt = job.attempt;
    record.unbegun = job.unbegun;
    record.worker = worker;
    record.startedAt = outcome.startedAt;
    record.finishedAt = outcome.finishedAt;
    record.cpuTime = std::chrono::duration_cast<std::chrono::milliseconds>(outcome.cpu);
    record.peakMemory = outcome.peakBytes;
    record.outputBytes = static_cast<qint64>(outcome.outputBytes + outcome.errorBytes);
    record.outputTruncated = outcome.outputTruncated || outcome.errorTruncated;
    record.tail = outcome.tail;
    return record;
}

} // namespace drover::workers
