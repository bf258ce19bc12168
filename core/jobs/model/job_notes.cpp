#include "jobs/model/job_notes.h"

#include <QSet>

#include <algorithm>
#include <iterator>
#include <string>

namespace drover::jobs {

namespace {

constexpr const char *VersionField = "v";
constexpr const char *TextField = "job";
constexpr const char *SignatureField = "sig";
constexpr const char *SerialField = "cert";
constexpr const char *NotesField = "notes";
constexpr const char *Fields[] = {VersionField, TextField, SignatureField, SerialField, NotesField};

// Gathers what JobNotes::fields() lists.
struct FieldNames {
    QSet<QString> all;

    template <class Value>
    void operator()(const char *name, Value &)
    {
        all.insert(QLatin1String(name));
    }
    template <class Value>
    void operator()(const char *name, Value &, Bounds)
    {
        all.insert(QLatin1String(name));
    }
};

// The fields that a record of version 1 held beside those of the spec.
const QSet<QString> &namesOfNotes()
{
    static const QSet<QString> names = [] {
        FieldNames each{{QStringLiteral("progress"), QStringLiteral("gang_rounds")}};
        JobNotes notes;
        JobNotes::fields(each, notes);
        return each.all;
    }();
    return names;
}

// The text as JSON has it. It is most of a record, and QJsonDocument would make two copies of it in UTF-16.
std::string quoted(const QByteArray &utf8)
{
    std::string json(1, '"');
    json.reserve(static_cast<std::size_t>(utf8.size() + utf8.size() / 2));
    for (const char each : utf8) {
        if (static_cast<unsigned char>(each) < ' ') {
            json += "\\u00" + QByteArray::number(each, 16).rightJustified(2, '0').toStdString();
            continue;
        }
        if (each == '"' || each == '\\')
            json += '\\';
        json += each;
    }
    json += '"';
    return json;
}

QJsonObject withoutVersion(QJsonObject object)
{
    object.remove(QLatin1String(VersionField));
    return object;
}

} // namespace

JobRecord JobRecord::parse(const QByteArray &stored)
{
    if (stored.size() > MaxStored)
        throw Malformed(QStringLiteral("%1 bytes, the limit is %2").arg(stored.size()).arg(MaxStored));
    const JsonFields fields(stored, Version, FormatVersion);
    if (fields.integer("v", FormatVersion, Version, Version) == FormatVersion)
        return fromFirstVersion(fields);
    JobRecord record;
    record.text = fields.string(TextField).toUtf8();
    if (record.text.size() > MaxText)
        throw Malformed(
            QStringLiteral("field \"job\" has %1 bytes, the limit is %2").arg(record.text.size()).arg(MaxText));
    record.signature = fields.string(SignatureField).toLatin1();
    record.certificate = fields.string(SerialField).toLatin1();
    if (fields.has(NotesField))
        record.setNotes(versioned(fields.nested(NotesField)));
    const auto known =
        std::count_if(std::begin(Fields), std::end(Fields), [&](const char *name) { return fields.has(name); });
    if (fields.object().size() > known) {
        record.unknown = fields.object();
        for (const char *const name : Fields)
            record.unknown.remove(QLatin1String(name));
    }
    return record;
}

JobRecord JobRecord::fromFirstVersion(const JsonFields &stored)
{
    QJsonObject spec = stored.object();
    QJsonObject notes;
    for (const QString &name : spec.keys()) {
        if (namesOfNotes().contains(name))
            notes.insert(name, spec.take(name));
    }
    JobRecord record;
    record.text = compactJson(spec);
    record.setNotes(versioned(notes));
    return record;
}

QByteArray JobRecord::bytes() const
{
    QJsonObject object = unknown;
    object.insert(QLatin1String(VersionField), Version);
    if (const QJsonObject notes = withoutVersion(m_notes.object()); !notes.isEmpty())
        object.insert(QLatin1String(NotesField), notes);
    QByteArray json = compactJson(object);
    const auto add = [&json](const char *name, const QByteArray &utf8) {
        json.append(",\"").append(name).append("\":").append(quoted(utf8));
    };
    json.chop(1); // the brace
    add(TextField, text);
    if (isSigned()) {
        add(SignatureField, QString::fromLatin1(signature).toUtf8());
        add(SerialField, QString::fromLatin1(certificate).toUtf8());
    }
    return json.append('}');
}

const JsonFields &JobRecord::noNotes()
{
    static const JsonFields none(versioned({}));
    return none;
}

std::optional<JobRecord> tryParse(const QByteArray &stored)
{
    try {
        return JobRecord::parse(stored);
    } catch (const Malformed &) {
        return std::nullopt;
    }
}

AttemptCount AttemptCount::fromVersion(qint32 version, const JobNotes &notes)
{
    if (version <= 0)
        return {};
    const qint32 uncancelled = notes.cancelled ? version - 1 : version;
    const bool isStart = notes.lastStarted > 0 && notes.lastStarted == uncancelled - 1; // not a claim raised it last
    const qint32 claimVersion = isStart ? notes.lastStarted : uncancelled;
    const qint32 started = uncancelled - 2 * notes.returned - notes.pending;
    return {claimVersion, claimVersion - started};
}

AttemptCount AttemptCount::ofNextClaim(qint32 version, const JobNotes &notes)
{
    const qint32 claimVersion = version + 1;
    return {claimVersion, claimVersion - (fromVersion(version, notes).number() + 1)};
}

} // namespace drover::jobs
