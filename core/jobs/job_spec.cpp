#include "jobs/job_spec.h"

#include "jobs/array_progress.h"
#include "jobs/output_path.h"
#include "jobs/resource_limit.h"

#include <QJsonDocument>

namespace drover::jobs {

using namespace std::chrono_literals;

namespace {

constexpr int Version = 1;
constexpr const char *PriorityOfRepeat = "priority"; // elsewhere it is in the node's name

// With these fields instead of its own of the same name; without those that are Undefined here.
QByteArray noted(const JsonFields &fields, std::initializer_list<std::pair<QString, QJsonValue>> notes)
{
    QJsonObject object = fields.object();
    for (const auto &[name, value] : notes)
        object.insert(name, value);
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

QByteArray counted(const QByteArray &bytes, const char *field)
{
    const JsonFields fields(bytes, Version);
    return noted(fields, {{QLatin1String(field), fields.integer(field, 0, 1 << 30, 0) + 1}});
}

// Each is to be the name of a znode.
QStringList lockNames(const JsonFields &fields, const char *field)
{
    const QStringList names = fields.strings(field);
    for (const QString &name : names) {
        if (!isValidLockName(name))
            throw Malformed(
                QStringLiteral("field \"%1\": nothing can be called \"%2\"").arg(QLatin1String(field), name));
    }
    return names;
}

QStringList ulimitsOf(const JsonFields &fields)
{
    const QStringList limits = fields.strings("ulimits");
    for (const QString &limit : limits) {
        if (!ResourceLimit::parse(limit))
            throw Malformed(QStringLiteral("field \"ulimits\": \"%1\" is no limit").arg(limit));
    }
    return limits;
}

QString outputPath(const JsonFields &fields, const char *field)
{
    const QString path = fields.string(field);
    if (const QString objection = objectionTo(path); !path.isEmpty() && !objection.isEmpty())
        throw Malformed(QStringLiteral("field \"%1\": %2").arg(QLatin1String(field), objection));
    return path;
}

} // namespace

SpecTooLarge::SpecTooLarge(qsizetype size)
    : std::runtime_error(
        QStringLiteral("the job's specification has %1 bytes, the limit is %2; pass large input by a file's path")
            .arg(size)
            .arg(JobSpec::MaxSize)
            .toStdString())
{
}

QJsonObject JobSpec::toJson() const
{
    return JsonWriter(Version)
        .add("cmd", command)
        .add("env", environment)
        .add("dir", directory)
        .add("stdin", input)
        .add("stdout", standardOutput)
        .add("stderr", standardError)
        .add("append", appendTo)
        .add("name", name)
        .add("attempts", qint64(maxAttempts))
        .add("retries", qint64(retry.limit))
        .add("retry_on", retry.codes)
        .add("backoff_ms", retry.limit > 0 ? retry.firstDelay : 0ms)
        .add("backoff_max_ms", retry.limit > 0 ? retry.longestDelay : 0ms)
        .add("slots", qint64(needs.slots == 1 ? 0 : needs.slots))
        .add("memory", needs.memory)
        .add("labels", needs.labels)
        .add("after", toStrings(after))
        .add("singleton", singleton)
        .add("was_singleton", wasSingleton)
        .add("array", array ? array->toString() : QString())
        .add("array_count", qint64(arrayCount))
        .add("gang", qint64(gang))
        .add("locks", locks)
        .add("shared_locks", sharedLocks)
        .add("limits", limits)
        .add("tags", tags)
        .add("ulimits", ulimits)
        .add("limit_ms", timeLimit)
        .add("grace_ms", killGrace)
        .add("output", outputLimit)
        .add("by", submitter)
        .add("dedupe", dedupe)
        .add("key", key)
        .add("at_ms", submittedAt)
        .add("returned", qint64(returned))
        .add("pending", qint64(pending))
        .add("began_last", qint64(beganLast))
        .add("failed", qint64(failed))
        .add("failed_code", qint64(failedCode))
        .add("cancelled", cancelled)
        .add("not_before_ms", notBefore)
        .add("held_by", heldBy)
        .object();
}

QByteArray JobSpec::encode() const
{
    QByteArray bytes = QJsonDocument(toJson()).toJson(QJsonDocument::Compact);
    if (bytes.size() > MaxSize)
        throw SpecTooLarge(bytes.size());
    return bytes;
}

JobSpec JobSpec::decode(const QByteArray &bytes, const QByteArray &queue, int priority)
{
    if (bytes.size() > MaxSize + MaxNotes + ArrayProgress::MaxSize)
        throw Malformed(QStringLiteral("%1 bytes, the limit is %2").arg(bytes.size()).arg(MaxSize));
    return fromJson(JsonFields(bytes, Version), queue, priority);
}

JobSpec JobSpec::fromJson(const JsonFields &fields, const QByteArray &queue, int priority)
{
    JobSpec spec;
    spec.command = fields.strings("cmd");
    if (spec.command.isEmpty() || spec.command.front().isEmpty())
        throw Malformed(QStringLiteral("field \"cmd\" names no program"));
    spec.environment = fields.environment("env");
    spec.directory = fields.string("dir");
    spec.input = fields.string("stdin");
    spec.standardOutput = outputPath(fields, "stdout");
    spec.standardError = outputPath(fields, "stderr");
    spec.appendTo = fields.string("append");
    spec.name = fields.string("name");
    spec.queue = queue;
    spec.priority = priority;
    spec.maxAttempts = static_cast<int>(fields.integer("attempts", 1, 1000, 5));
    spec.retry.limit = static_cast<int>(fields.integer("retries", 0, RetryPolicy::MaxLimit, 0));
    spec.retry.codes = fields.integers("retry_on", 0, 255);
    if (spec.retry.limit > 0) {
        spec.retry.firstDelay = fields.milliseconds("backoff_ms");
        spec.retry.longestDelay = fields.milliseconds("backoff_max_ms");
    }
    spec.needs.slots = static_cast<int>(fields.integer("slots", 1, MaxSlots, 1));
    spec.needs.memory = fields.integer("memory", 0, qint64(1) << 50, 0);
    spec.needs.labels = fields.strings("labels");
    spec.after = dependenciesFrom(fields.strings("after"));
    spec.singleton = fields.boolean("singleton");
    spec.wasSingleton = fields.boolean("was_singleton");
    if (const QString range = fields.string("array"); !range.isEmpty())
        spec.array = arrayFrom(range);
    spec.arrayCount = static_cast<int>(fields.integer("array_count", 0, ArrayIndices::MaxCount, 0));
    spec.gang = static_cast<int>(fields.integer("gang", 0, MaxGang, 0));
    spec.locks = lockNames(fields, "locks");
    spec.sharedLocks = lockNames(fields, "shared_locks");
    spec.limits = lockNames(fields, "limits");
    spec.tags = fields.strings("tags");
    spec.ulimits = ulimitsOf(fields);
    spec.timeLimit = fields.milliseconds("limit_ms");
    spec.killGrace = fields.milliseconds("grace_ms");
    spec.outputLimit = fields.integer("output", 0, qint64(1) << 50, 0);
    spec.submitter = fields.string("by");
    spec.dedupe = fields.string("dedupe");
    spec.key = fields.string("key");
    spec.submittedAt = fields.milliseconds("at_ms");
    spec.returned = static_cast<int>(fields.integer("returned", 0, 1 << 30, 0));
    spec.roomless = static_cast<int>(fields.integer("roomless", 0, 1 << 30, 0));
    spec.pending = static_cast<int>(fields.integer("pending", 0, 1 << 30, 0));
    spec.beganLast = static_cast<int>(fields.integer("began_last", 0, 1 << 30, 0));
    spec.failed = static_cast<int>(fields.integer("failed", 0, RetryPolicy::MaxLimit, 0));
    spec.failedCode = static_cast<int>(fields.integer("failed_code", 0, 255, 0));
    spec.cancelled = fields.boolean("cancelled");
    spec.notBefore = fields.milliseconds("not_before_ms");
    spec.heldBy = fields.string("held_by");
    return spec;
}

QByteArray JobSpec::countReturned(const QByteArray &bytes)
{
    return counted(bytes, "returned");
}

QByteArray JobSpec::countRoomless(const QByteArray &bytes)
{
    return counted(bytes, "roomless");
}

QByteArray JobSpec::countPending(const QByteArray &bytes)
{
    return counted(bytes, "pending");
}

QByteArray JobSpec::markBegun(const QByteArray &bytes, qint32 claim)
{
    return noted(JsonFields(bytes, Version), {{QStringLiteral("began_last"), claim}});
}

QByteArray JobSpec::countFailed(const QByteArray &bytes, std::chrono::milliseconds notBefore, int exitCode)
{
    const JsonFields fields(bytes, Version);
    return noted(fields,
                 {{QStringLiteral("failed"), fields.integer("failed", 0, RetryPolicy::MaxLimit, 0) + 1},
                  {QStringLiteral("failed_code"), exitCode},
                  {QStringLiteral("not_before_ms"), qint64(notBefore.count())}});
}

QByteArray JobSpec::markCancelled(const QByteArray &bytes)
{
    return noted(JsonFields(bytes, Version), {{QStringLiteral("cancelled"), true}});
}

QByteArray JobSpec::markHeld(const QByteArray &bytes, const QString &by)
{
    const QJsonValue value = by.isEmpty() ? QJsonValue(QJsonValue::Undefined) : QJsonValue(by);
    return noted(JsonFields(bytes, Version), {{QStringLiteral("held_by"), value}});
}

QByteArray JobSpec::markReady(const QByteArray &bytes)
{
    const JsonFields fields(bytes, Version);
    const bool wasSingleton = fields.boolean("singleton") || fields.boolean("was_singleton");
    return noted(fields,
                 {{QStringLiteral("not_before_ms"), QJsonValue::Undefined},
                  {QStringLiteral("after"), QJsonValue::Undefined},
                  {QStringLiteral("singleton"), QJsonValue::Undefined},
                  {QStringLiteral("was_singleton"), wasSingleton ? QJsonValue(true) : QJsonValue::Undefined}});
}

QJsonObject JobSpec::toRepeat() const
{
    JobSpec job = *this;
    job.submitter.clear();
    job.submittedAt = job.notBefore = {};
    job.key.clear();
    job.dedupe.clear();
    job.after.clear();
    job.heldBy.clear();
    job.singleton |= job.wasSingleton;
    job.wasSingleton = false;
    job.returned = job.roomless = job.pending = job.beganLast = job.failed = job.failedCode = 0;
    job.cancelled = false;
    QJsonObject object = job.toJson();
    object.insert(QLatin1String(PriorityOfRepeat), priority);
    return object;
}

JobSpec JobSpec::repeating(const QJsonObject &job, const QByteArray &queue)
{
    const JsonFields fields(job, Version);
    return fromJson(fields, queue,
                    static_cast<int>(fields.integer(PriorityOfRepeat, 0, MaxPriority, QueueEntry::DefaultPriority)));
}

QByteArray JobSpec::asNew(const QByteArray &bytes, const QString &key)
{
    return noted(JsonFields(bytes, Version),
                 {{QStringLiteral("key"), key},
                  {QStringLiteral("returned"), QJsonValue::Undefined},
                  {QStringLiteral("roomless"), QJsonValue::Undefined},
                  {QStringLiteral("pending"), QJsonValue::Undefined},
                  {QStringLiteral("began_last"), QJsonValue::Undefined},
                  {QStringLiteral("failed"), QJsonValue::Undefined},
                  {QStringLiteral("failed_code"), QJsonValue::Undefined}});
}

QueueEntry::Class JobSpec::entryClass() const
{
    if (!heldBy.isEmpty())
        return QueueEntry::Class::Held;
    if (waits())
        return QueueEntry::Class::Waiting;
    return array ? QueueEntry::Class::Array : QueueEntry::Class::Ready;
}

} // namespace drover::jobs
