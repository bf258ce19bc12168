#include "output/output_request.h"

#include "jobs/model/json_fields.h"

namespace drover::output {

using jobs::JsonFields;
using jobs::JsonWriter;
using jobs::Malformed;

namespace {

constexpr int Version = 1;
constexpr qint64 MaxOffset = qint64(1) << 53;
constexpr qint64 Nothing = -1;

std::optional<qint64> offset(const JsonFields &fields, const char *name)
{
    const qint64 value = fields.integer(name, Nothing, MaxOffset, Nothing);
    return value == Nothing ? std::nullopt : std::optional(value);
}

QJsonObject headerOf(const OutputReply::Part &part)
{
    return {{QStringLiteral("size"), part.size.value_or(Nothing)},
            {QStringLiteral("bytes"), part.bytes.size()},
            {QStringLiteral("skipped"), part.skipped}};
}

// Takes the part's bytes off the beginning of `bytes`.
std::optional<OutputReply::Part> partFrom(const QJsonObject &header, const char *name, QByteArray &bytes)
{
    const QJsonValue value = header.value(QLatin1String(name));
    if (!value.isObject())
        return std::nullopt;
    const qint64 size = value[QLatin1String("size")].toInteger(Nothing);
    const qint64 count = value[QLatin1String("bytes")].toInteger(Nothing);
    const qint64 skipped = value[QLatin1String("skipped")].toInteger(0);
    if (size < Nothing || size > MaxOffset || count < 0 || count > bytes.size() || skipped < 0 || skipped > MaxOffset)
        throw Malformed(QStringLiteral("%1 says other sizes than it has").arg(QLatin1String(name)));
    OutputReply::Part part{size == Nothing ? std::nullopt : std::optional(size), bytes.first(count), skipped};
    bytes.remove(0, count);
    return part;
}

} // namespace

QByteArray OutputRequest::encode() const
{
    QJsonObject object = JsonWriter(Version)
                             .add("job", id.toString())
                             .add("attempt", qint64(attempt))
                             .add("at_most", atMost)
                             .add("wait_ms", wait)
                             .object();
    if (outputFrom) // 0 has to be said
        object.insert(QStringLiteral("output_from"), *outputFrom);
    if (errorFrom)
        object.insert(QStringLiteral("error_from"), *errorFrom);
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

OutputRequest OutputRequest::decode(const QByteArray &bytes)
{
    const JsonFields fields(bytes, Version);
    const std::optional<jobs::JobId> id = jobs::JobId::parse(fields.string("job"));
    if (!id)
        throw Malformed(QStringLiteral("\"job\" is not a job id"));
    OutputRequest request;
    request.id = *id;
    request.attempt = static_cast<int>(fields.integer("attempt", 1, 1 << 30, 1));
    request.outputFrom = offset(fields, "output_from");
    request.errorFrom = offset(fields, "error_from");
    request.atMost = fields.integer("at_most", 0, MaxBytes, 0);
    request.wait = std::min(fields.milliseconds("wait_ms"), MaxWait);
    return request;
}

QByteArray OutputReply::Part::text() const
{
    if (skipped == 0)
        return bytes;
    return "\n... " + QByteArray::number(skipped) + " bytes were not kept ...\n" + bytes;
}

QByteArray OutputReply::encode() const
{
    QJsonObject header = JsonWriter(Version).object();
    QByteArray bytes;
    if (output) {
        header.insert(QStringLiteral("output"), headerOf(*output));
        bytes += output->bytes;
    }
    if (error) {
        header.insert(QStringLiteral("error"), headerOf(*error));
        bytes += error->bytes;
    }
    return QJsonDocument(header).toJson(QJsonDocument::Compact) + '\n' + bytes;
}

OutputReply OutputReply::decode(const QByteArray &bytes)
{
    const qsizetype end = bytes.indexOf('\n');
    if (end < 0)
        throw Malformed(QStringLiteral("it has no header"));
    const JsonFields fields(bytes.first(end), Version);
    QByteArray rest = bytes.mid(end + 1);
    OutputReply reply;
    reply.output = partFrom(fields.object(), "output", rest);
    reply.error = partFrom(fields.object(), "error", rest);
    if (!rest.isEmpty())
        throw Malformed(QStringLiteral("it has more bytes than it says"));
    return reply;
}

} // namespace drover::output
