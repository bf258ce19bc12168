#include "files/ledger.h"

#include "jobs/model/json_fields.h"

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace drover::files {

using jobs::JsonFields;
using jobs::JsonWriter;
using jobs::Malformed;

namespace {

constexpr qint64 MaxInteger = qint64(1) << 53;
constexpr qsizetype HashSize = 64; // hexadecimal digits

QByteArray sha256Of(const QByteArray &bytes)
{
    return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
}

qint64 offsetIn(const JsonFields &fields, const char *name)
{
    return fields.integer(name, 0, MaxInteger, 0);
}

QJsonObject toJson(const FileRecord &record)
{
    return {{QStringLiteral("key"), QString::fromUtf8(record.key)},
            {QStringLiteral("offset"), record.offset},
            {QStringLiteral("length"), record.length},
            {QStringLiteral("sha256"), QString::fromLatin1(record.sha256)}};
}

FileRecord recordFrom(const QJsonObject &object)
{
    FileRecord record;
    record.key = object.value(QLatin1String("key")).toString().toUtf8();
    record.offset = object.value(QLatin1String("offset")).toInteger(-1);
    record.length = object.value(QLatin1String("length")).toInteger(-1);
    record.sha256 = object.value(QLatin1String("sha256")).toString().toLatin1();
    if (record.offset < 0 || record.length < 0 || record.sha256.size() != HashSize)
        throw Malformed(QStringLiteral("a record is not whole"));
    if (record.offset > MaxInteger || record.length > MaxInteger - record.offset)
        throw Malformed(QStringLiteral("a record ends where no file does"));
    return record;
}

QJsonObject toJson(const PendingRecord &pending)
{
    QJsonObject object = toJson(pending.record);
    if (pending.payload.spool.isEmpty())
        object.insert(QStringLiteral("bytes"), QString::fromLatin1(pending.payload.bytes.toBase64()));
    else
        object.insert(QStringLiteral("spool"), QString::fromLatin1(pending.payload.spool));
    return object;
}

PendingRecord pendingFrom(const QJsonObject &object)
{
    PendingRecord pending{recordFrom(object), {}};
    Payload &payload = pending.payload;
    payload.length = pending.record.length;
    payload.sha256 = pending.record.sha256;
    payload.spool = object.value(QLatin1String("spool")).toString().toLatin1();
    if (payload.spool.contains('/'))
        throw Malformed(QStringLiteral("the name of a spooled record is a path"));
    if (!payload.spool.isEmpty())
        return pending;
    payload.bytes = QByteArray::fromBase64(object.value(QLatin1String("bytes")).toString().toLatin1());
    if (payload.bytes.size() != payload.length || sha256Of(payload.bytes) != payload.sha256)
        throw Malformed(QStringLiteral("the bytes of a pending record do not match its hash"));
    return pending;
}

} // namespace

InvalidKey::InvalidKey(const QByteArray &key)
    : std::invalid_argument(
        QStringLiteral("\"%1\" is not a valid record key; use 1 to %2 bytes without control characters")
            .arg(QString::fromUtf8(key.left(MaxKeySize)).simplified(), QString::number(MaxKeySize))
            .toStdString())
{
}

bool isValidKey(const QByteArray &key)
{
    const auto isControl = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
    return !key.isEmpty() && key.size() <= MaxKeySize && std::none_of(key.begin(), key.end(), isControl)
        && QString::fromUtf8(key).toUtf8() == key;
}

QByteArray FileRecord::line() const
{
    return QByteArray::number(offset) + ' ' + QByteArray::number(length) + ' ' + sha256 + ' ' + key + '\n';
}

std::optional<FileRecord> FileRecord::parse(const QByteArray &line)
{
    constexpr int Fields = 4;
    QByteArrayList fields = line.split(' ');
    if (fields.size() < Fields)
        return std::nullopt;
    bool offsetOk = false;
    bool lengthOk = false;
    FileRecord record;
    record.offset = fields[0].toLongLong(&offsetOk);
    record.length = fields[1].toLongLong(&lengthOk);
    record.sha256 = fields[2];
    record.key = fields.mid(Fields - 1).join(' ');
    if (!offsetOk || !lengthOk || record.offset < 0 || record.length < 0 || record.sha256.size() != HashSize)
        return std::nullopt;
    return record;
}

Payload Payload::of(const QByteArray &bytes)
{
    return {bytes, {}, {}, bytes.size(), sha256Of(bytes)};
}

QByteArray digestOf(const QByteArray &digest, const QByteArray &line)
{
    return sha256Of(digest + line);
}

Ledger Ledger::begin(const QString &path, const QByteArray &id, quint64 inode, qint64 base,
                     const QByteArray &baseSha256)
{
    Ledger ledger;
    ledger.path = path;
    ledger.id = id;
    ledger.inode = inode;
    ledger.base = ledger.committed = base;
    ledger.baseSha256 = baseSha256;
    return ledger;
}

qint64 Ledger::next() const
{
    return pending.empty() ? committed : pending.back().record.offset + pending.back().record.length;
}

QByteArray Ledger::pendingLines() const
{
    QByteArray lines;
    for (const PendingRecord &p : pending)
        lines += p.record.line();
    return lines;
}

const FileRecord &Ledger::reserve(const QByteArray &key, const Payload &payload)
{
    pending.push_back({FileRecord{key, next(), payload.length, payload.sha256}, payload});
    return pending.back().record;
}

std::vector<PendingRecord> Ledger::commit()
{
    if (pending.empty())
        return {};
    for (const PendingRecord &p : pending) {
        const QByteArray line = p.record.line();
        logSize += line.size();
        digest = digestOf(digest, line);
    }
    committed = next();
    records += static_cast<qint64>(pending.size());
    last = pending.back().record;
    return std::exchange(pending, {});
}

QByteArray Ledger::encode() const
{
    JsonWriter writer;
    writer.add("path", path)
        .add("id", QString::fromLatin1(id))
        .add("inode", QString::number(inode))
        .add("base", base)
        .add("base_sha256", QString::fromLatin1(baseSha256))
        .add("committed", committed)
        .add("records", records)
        .add("log", logSize)
        .add("digest", QString::fromLatin1(digest));
    QJsonObject object = writer.object();
    if (records > 0)
        object.insert(QStringLiteral("last"), toJson(last));
    QJsonArray list;
    for (const PendingRecord &p : pending)
        list.append(toJson(p));
    if (!list.isEmpty())
        object.insert(QStringLiteral("pending"), list);
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

Ledger Ledger::decode(const QByteArray &bytes)
{
    const JsonFields fields(bytes);
    Ledger ledger;
    ledger.path = fields.string("path");
    ledger.id = fields.string("id").toLatin1();
    ledger.inode = fields.string("inode").toULongLong();
    ledger.base = offsetIn(fields, "base");
    ledger.baseSha256 = fields.string("base_sha256").toLatin1();
    ledger.committed = offsetIn(fields, "committed");
    ledger.records = offsetIn(fields, "records");
    ledger.logSize = offsetIn(fields, "log");
    ledger.digest = fields.string("digest").toLatin1();
    if (ledger.path.isEmpty() || ledger.id.isEmpty() || ledger.id.contains('/') || ledger.committed < ledger.base)
        throw Malformed(QStringLiteral("not a file's ledger"));
    if (ledger.records > 0)
        ledger.last = recordFrom(fields.object().value(QLatin1String("last")).toObject());
    const QJsonArray list = fields.object().value(QLatin1String("pending")).toArray();
    for (const QJsonValue &item : list) {
        PendingRecord pending = pendingFrom(item.toObject());
        if (pending.record.offset != ledger.next() || !isValidKey(pending.record.key))
            throw Malformed(QStringLiteral("a pending record is out of place"));
        ledger.pending.push_back(std::move(pending));
    }
    return ledger;
}

} // namespace drover::files
