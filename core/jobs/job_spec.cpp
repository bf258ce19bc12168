#include "jobs/job_spec.h"

#include <QJsonDocument>

namespace drover::jobs {

namespace {

constexpr int Version = 1;

// All other fields stay as they are, known to this program or not.
QByteArray noted(const JsonFields &fields, const char *name, const QJsonValue &value)
{
    QJsonObject object = fields.object();
    object.insert(QLatin1String(name), value);
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
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

QByteArray JobSpec::encode() const
{
    const QByteArray bytes = JsonWriter(Version)
                                 .add("cmd", command)
                                 .add("env", environment)
                                 .add("dir", directory)
                                 .add("stdin", input)
                                 .add("append", appendTo)
                                 .add("name", name)
                                 .add("attempts", qint64(maxAttempts))
                                 .add("limit_ms", timeLimit)
                                 .add("grace_ms", killGrace)
                                 .add("output", outputLimit)
                                 .add("by", submitter)
                                 .add("key", key)
                                 .add("at_ms", submittedAt)
                                 .add("returned", qint64(returned))
                                 .add("cancelled", cancelled)
                                 .bytes();
    if (bytes.size() > MaxSize)
        throw SpecTooLarge(bytes.size());
    return bytes;
}

JobSpec JobSpec::decode(const QByteArray &bytes, const QByteArray &queue, int priority)
{
    if (bytes.size() > MaxSize + MaxNotes)
        throw Malformed(QStringLiteral("%1 bytes, the limit is %2").arg(bytes.size()).arg(MaxSize));
    const JsonFields fields(bytes, Version);
    JobSpec spec;
    spec.command = fields.strings("cmd");
    if (spec.command.isEmpty() || spec.command.front().isEmpty())
        throw Malformed(QStringLiteral("field \"cmd\" names no program"));
    spec.environment = fields.environment("env");
    spec.directory = fields.string("dir");
    spec.input = fields.string("stdin");
    spec.appendTo = fields.string("append");
    spec.name = fields.string("name");
    spec.queue = queue;
    spec.priority = priority;
    spec.maxAttempts = static_cast<int>(fields.integer("attempts", 1, 1000, 5));
    spec.timeLimit = fields.milliseconds("limit_ms");
    spec.killGrace = fields.milliseconds("grace_ms");
    spec.outputLimit = fields.integer("output", 0, qint64(1) << 50, 0);
    spec.submitter = fields.string("by");
    spec.key = fields.string("key");
    spec.submittedAt = fields.milliseconds("at_ms");
    spec.returned = static_cast<int>(fields.integer("returned", 0, 1 << 30, 0));
    spec.cancelled = fields.boolean("cancelled");
    return spec;
}

QByteArray JobSpec::countReturned(const QByteArray &bytes)
{
    const JsonFields fields(bytes, Version);
    return noted(fields, "returned", fields.integer("returned", 0, 1 << 30, 0) + 1);
}

QByteArray JobSpec::markCancelled(const QByteArray &bytes)
{
    return noted(JsonFields(bytes, Version), "cancelled", true);
}

} // namespace drover::jobs
