#include "jobs/records.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <array>

namespace drover::jobs {

namespace {

constexpr int Version = 1;
constexpr qint64 MaxInteger = qint64(1) << 53;
constexpr qsizetype MaxText = 1024; // characters of each text in a record; JSON may need six bytes for one
constexpr qsizetype ShortTail = 1024; // where the job would not fit otherwise
constexpr const char *Command = "cmd"; // these as JobSpec calls them
constexpr const char *Name = "name";
constexpr const char *Tags = "tags";

constexpr std::array<const char *, 7> StateNames{"held",      "waiting", "ready",    "running",
                                                 "succeeded", "failed",  "cancelled"};
constexpr std::array<const char *, 7> OutcomeNames{"exited",    "signalled", "timed-out", "not-started",
                                                   "cancelled", "gave-up",   "malformed"};

FinalRecord::Outcome outcomeOf(const QString &name)
{
    for (std::size_t i = 0; i < OutcomeNames.size(); ++i) {
        if (name == QLatin1String(OutcomeNames[i]))
            return static_cast<FinalRecord::Outcome>(i);
    }
    throw Malformed(QStringLiteral("unknown outcome \"%1\"").arg(name));
}

// Keeps the beginning of a list, so that a record stays small whatever was run.
QStringList cut(const QStringList &texts, qsizetype limit)
{
    QStringList kept;
    qsizetype size = 0;
    for (const QString &text : texts) {
        if (size + text.size() > limit) {
            kept.append(text.left(std::max<qsizetype>(0, limit - size)) + QChar(0x2026));
            break;
        }
        size += text.size() + 1;
        kept.append(text);
    }
    return kept;
}

// What the record does not say anyway.
QJsonObject withoutWhole(const JobSpec &spec)
{
    QJsonObject job = spec.toRepeat();
    if (cut(spec.command, MaxText) == spec.command)
        job.remove(QLatin1String(Command));
    if (cut(spec.tags, MaxText) == spec.tags)
        job.remove(QLatin1String(Tags));
    if (spec.name.size() <= MaxText)
        job.remove(QLatin1String(Name));
    return job;
}

} // namespace

bool isFinal(JobState state)
{
    return state >= JobState::Succeeded;
}

QString stateName(JobState state)
{
    return QLatin1String(StateNames[static_cast<std::size_t>(state)]);
}

JobState unclaimedState(QueueEntry::Class jobClass)
{
    switch (jobClass) {
    case QueueEntry::Class::Held:
        return JobState::Held;
    case QueueEntry::Class::Waiting:
        return JobState::Waiting;
    default:
        return JobState::Ready;
    }
}

JobState claimedState(const Claim &claim)
{
    return claim.hasBegun() ? JobState::Running : JobState::Waiting;
}

QString outcomeName(FinalRecord::Outcome outcome)
{
    return QLatin1String(OutcomeNames[static_cast<std::size_t>(outcome)]);
}

QByteArray Claim::encode() const
{
    QStringList sent;
    for (const Signal &signal : latestSignals)
        sent.append(QStringLiteral("%1 %2").arg(signal.number).arg(signal.key));
    return JsonWriter(Version)
        .add("worker", worker)
        .add("attempt", qint64(attempt))
        .add("entry", QString::fromLatin1(entry))
        .add("cancelled", cancelled)
        .add("slots", qint64(slotCount == 1 ? 0 : slotCount))
        .add("waits", waits)
        .add("pending", pending)
        .add("ahead", ahead)
        .add("unbegun", qint64(unbegun))
        .add("requeue", requeue)
        .add("signal_count", qint64(signalCount))
        .add("signals", sent)
        .bytes();
}

Claim Claim::decode(const QByteArray &bytes)
{
    const JsonFields fields(bytes, Version);
    Claim claim;
    claim.worker = fields.string("worker");
    claim.attempt = static_cast<int>(fields.integer("attempt", 1, 1 << 30, 1));
    claim.entry = fields.string("entry").toLatin1();
    claim.cancelled = fields.boolean("cancelled");
    claim.slotCount = static_cast<int>(fields.integer("slots", 1, JobSpec::MaxSlots, 1));
    claim.waits = fields.string("waits");
    claim.pending = fields.boolean("pending");
    claim.ahead = fields.boolean("ahead");
    claim.unbegun = static_cast<int>(fields.integer("unbegun", 0, 1 << 30, 0));
    claim.requeue = fields.boolean("requeue");
    claim.signalCount = static_cast<int>(fields.integer("signal_count", 0, 1 << 30, 0));
    const QStringList sent = fields.strings("signals");
    for (const QString &signal : sent)
        claim.latestSignals.push_back({signal.section(u' ', 0, 0).toInt(), signal.section(u' ', 1)});
    return claim;
}

void Claim::addSignal(int number, const QString &key)
{
    ++signalCount;
    latestSignals.push_back({number, key});
    if (latestSignals.size() > KeptSignals)
        latestSignals.erase(latestSignals.begin());
}

bool Claim::hasSignal(const QString &key) const
{
    return std::any_of(latestSignals.begin(), latestSignals.end(), [&](const Signal &s) { return s.key == key; });
}

FinalRecord FinalRecord::of(const JobId &id, const JobSpec &spec)
{
    FinalRecord record;
    record.id = id;
    record.name = spec.title();
    record.command = spec.command;
    record.submitter = spec.submitter;
    record.tags = spec.tags;
    record.key = spec.key;
    record.submittedAt = spec.submittedAt;
    if (!id.isTask() && !spec.command.isEmpty())
        record.repeat = withoutWhole(spec);
    return record;
}

FinalRecord FinalRecord::withoutRun(const JobId &id, const JobSpec &spec, Outcome outcome, const QString &reason,
                                    qint32 version, std::chrono::milliseconds finishedAt)
{
    FinalRecord record = of(id, spec);
    record.outcome = outcome;
    record.reason = reason;
    record.attempt = version > 0 ? spec.latestClaim(version) : 0;
    record.unbegun = version > 0 ? record.attempt - spec.begun(version) : 0;
    record.finishedAt = finishedAt;
    return record;
}

JobState FinalRecord::state() const
{
    if (outcome == Outcome::Cancelled)
        return JobState::Cancelled;
    return outcome == Outcome::Exited && code == 0 ? JobState::Succeeded : JobState::Failed;
}

int FinalRecord::exitCode() const
{
    switch (outcome) {
    case Outcome::Exited:
    case Outcome::NotStarted:
        return code;
    case Outcome::Signalled:
        return 128 + signal;
    case Outcome::TimedOut:
        return 124;
    case Outcome::Cancelled:
        return signal ? 128 + signal : 125;
    case Outcome::GaveUp:
    case Outcome::Malformed:
        return 125;
    }
    return 125;
}

QByteArray FinalRecord::encode() const
{
    QByteArray bytes = encode(MaxText, MaxTail, repeat);
    if (bytes.size() > MaxSize) // the output itself is still where the job ran
        bytes = encode(MaxText, ShortTail, repeat);
    for (qsizetype limit = MaxText; bytes.size() > MaxSize; limit /= 2)
        bytes = encode(limit, MaxTail, {});
    return bytes;
}

QByteArray FinalRecord::encode(qsizetype textLimit, qsizetype tailLimit, const QJsonObject &job) const
{
    return JsonWriter(Version)
        .add("outcome", outcomeName(outcome))
        .add("code", qint64(code))
        .add("signal", qint64(signal))
        .add("reason", reason.left(textLimit))
        .add("attempt", qint64(attempt))
        .add("unbegun", qint64(unbegun))
        .add("worker", worker)
        .add(Name, name.left(textLimit))
        .add(Command, cut(command, textLimit))
        .add("by", submitter.left(textLimit))
        .add(Tags, cut(tags, textLimit))
        .add("key", key.left(64))
        .add("submitted_ms", submittedAt)
        .add("started_ms", startedAt)
        .add("finished_ms", finishedAt)
        .add("cpu_ms", cpuTime)
        .add("peak", peakMemory)
        .add("failed_tasks", qint64(failedTasks))
        .add("moved_to", movedTo ? movedTo->toString() : QString())
        .add("output", outputBytes)
        .add("truncated", outputTruncated)
        .add("tail", QString::fromLatin1(tail.right(tailLimit).toBase64()))
        .add("repeat", job)
        .bytes();
}

FinalRecord FinalRecord::decode(const QByteArray &bytes, const JobId &id)
{
    const JsonFields fields(bytes, Version);
    FinalRecord record;
    record.id = id;
    record.outcome = outcomeOf(fields.string("outcome"));
    record.code = static_cast<int>(fields.integer("code", 0, 255, 0));
    record.signal = static_cast<int>(fields.integer("signal", 0, 127, 0));
    record.reason = fields.string("reason");
    record.attempt = static_cast<int>(fields.integer("attempt", 0, 1 << 30, 0));
    record.unbegun = static_cast<int>(fields.integer("unbegun", 0, 1 << 30, 0));
    record.worker = fields.string("worker");
    record.name = fields.string(Name);
    record.command = fields.strings(Command);
    record.submitter = fields.string("by");
    record.tags = fields.strings(Tags);
    record.key = fields.string("key");
    record.submittedAt = fields.milliseconds("submitted_ms");
    record.startedAt = fields.milliseconds("started_ms");
    record.finishedAt = fields.milliseconds("finished_ms");
    record.cpuTime = fields.milliseconds("cpu_ms");
    record.peakMemory = fields.integer("peak", 0, MaxInteger, 0);
    record.failedTasks = static_cast<qint32>(fields.integer("failed_tasks", 0, ArrayIndices::MaxCount, 0));
    record.movedTo = JobId::parse(fields.string("moved_to"));
    record.outputBytes = fields.integer("output", 0, MaxInteger, 0);
    record.outputTruncated = fields.boolean("truncated");
    record.tail = QByteArray::fromBase64(fields.string("tail").toLatin1());
    record.repeat = fields.nested("repeat");
    return record;
}

std::optional<JobSpec> FinalRecord::jobToRepeat() const
{
    if (repeat.isEmpty())
        return std::nullopt;
    QJsonObject job = repeat;
    const auto complete = [&job](const char *field, const QJsonValue &whole) {
        if (!job.contains(QLatin1String(field)))
            job.insert(QLatin1String(field), whole);
    };
    complete(Command, QJsonArray::fromStringList(command));
    complete(Tags, QJsonArray::fromStringList(tags));
    complete(Name, name == command.value(0) ? QString() : name);
    return JobSpec::repeating(job, id.queue);
}

QByteArray WorkerInfo::encode() const
{
    return JsonWriter(Version)
        .add("id", id)
        .add("host", host)
        .add("pid", pid)
        .add("slots", qint64(slotCount))
        .add("memory", memory)
        .add("labels", labels)
        .add("cordon", cordon)
        .add("trouble", trouble)
        .add("queues", queues)
        .add("spool", spool)
        .add("spool_place", spoolPlace)
        .add("endpoint", endpoint)
        .add("history", history)
        .add("started_ms", startedAt)
        .add("version", version)
        .bytes();
}

WorkerInfo WorkerInfo::decode(const QByteArray &bytes)
{
    const JsonFields fields(bytes, Version);
    WorkerInfo info;
    info.id = fields.string("id");
    info.host = fields.string("host");
    info.pid = fields.integer("pid", 0, MaxInteger, 0);
    info.slotCount = static_cast<int>(fields.integer("slots", 0, 1 << 20, 0));
    info.memory = fields.integer("memory", 0, MaxInteger, 0);
    info.labels = fields.strings("labels");
    info.cordon = fields.integer("cordon", 0, MaxInteger, 0);
    info.trouble = fields.string("trouble");
    info.queues = fields.strings("queues");
    info.spool = fields.string("spool");
    info.spoolPlace = fields.string("spool_place");
    info.endpoint = fields.string("endpoint");
    info.history = fields.string("history");
    info.startedAt = fields.milliseconds("started_ms");
    info.version = fields.string("version");
    return info;
}

QByteArray ClusterStats::encode() const
{
    QJsonArray list;
    for (const Queue &queue : queues) {
        list.append(QJsonObject{{QStringLiteral("name"), QString::fromLatin1(queue.name)},
                                {QStringLiteral("unfinished"), queue.unfinished},
                                {QStringLiteral("submitted"), queue.submitted}});
    }
    JsonWriter writer(Version);
    writer.add("master", master)
        .add("since_ms", masterSince)
        .add("at_ms", at)
        .add("workers", workers)
        .add("claimed", claimed)
        .add("done", done);
    QJsonObject object = writer.object();
    object.insert(QStringLiteral("queues"), list);
    if (archive) {
        QJsonObject archiving{{QStringLiteral("history"), archive->history},
                              {QStringLiteral("error"), archive->error},
                              {QStringLiteral("failing_since_ms"), qint64(archive->failingSince.count())},
                              {QStringLiteral("lost"), archive->lost},
                              {QStringLiteral("aside"), archive->aside},
                              {QStringLiteral("paused_since_ms"), qint64(archive->pausedSince.count())}};
        if (archive->backlog)
            archiving.insert(QStringLiteral("backlog"), *archive->backlog);
        object.insert(QStringLiteral("archive"), archiving);
    }
    QJsonArray failing;
    for (const Trouble &trouble : troubles) {
        failing.append(QJsonObject{{QStringLiteral("subject"), trouble.subject},
                                   {QStringLiteral("error"), trouble.error},
                                   {QStringLiteral("since_ms"), qint64(trouble.since.count())}});
    }
    object.insert(QStringLiteral("troubles"), failing);
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

ClusterStats ClusterStats::decode(const QByteArray &bytes)
{
    const JsonFields fields(bytes, Version);
    ClusterStats stats;
    stats.master = fields.string("master");
    stats.masterSince = fields.milliseconds("since_ms");
    stats.at = fields.milliseconds("at_ms");
    stats.workers = fields.integer("workers", 0, MaxInteger, 0);
    stats.claimed = fields.integer("claimed", 0, MaxInteger, 0);
    stats.done = fields.integer("done", 0, MaxInteger, 0);
    const QJsonArray list = fields.object().value(QLatin1String("queues")).toArray();
    for (const QJsonValue &item : list) {
        const QJsonObject queue = item.toObject();
        stats.queues.push_back(Queue{queue.value(QLatin1String("name")).toString().toLatin1(),
                                     queue.value(QLatin1String("unfinished")).toInteger(),
                                     queue.value(QLatin1String("submitted")).toInteger()});
    }
    const QJsonValue archive = fields.object().value(QLatin1String("archive"));
    if (archive.isObject()) {
        const QJsonValue backlog = archive[QLatin1String("backlog")];
        stats.archive = Archive{archive[QLatin1String("history")].toString(),
                                backlog.isUndefined() ? std::nullopt : std::optional<qint64>(backlog.toInteger()),
                                archive[QLatin1String("error")].toString(),
                                std::chrono::milliseconds(archive[QLatin1String("failing_since_ms")].toInteger()),
                                archive[QLatin1String("lost")].toInteger(),
                                archive[QLatin1String("aside")].toInteger(),
                                std::chrono::milliseconds(archive[QLatin1String("paused_since_ms")].toInteger())};
    }
    const QJsonArray failing = fields.object().value(QLatin1String("troubles")).toArray();
    for (const QJsonValue &trouble : failing)
        stats.troubles.push_back(Trouble{trouble[QLatin1String("subject")].toString(),
                                         trouble[QLatin1String("error")].toString(),
                                         std::chrono::milliseconds(trouble[QLatin1String("since_ms")].toInteger())});
    return stats;
}

} // namespace drover::jobs
