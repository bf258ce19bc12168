#include "jobs/model/json_fields.h"

#include "text/quantity.h"
#include "zk/path.h"

#include <QJsonDocument>

#include <algorithm>
#include <cmath>
#include <limits>

namespace drover::jobs {

namespace {

[[noreturn]] void wrongType(const char *name, const char *expected)
{
    throw Malformed(QStringLiteral("field \"%1\" is not %2").arg(QLatin1String(name), QLatin1String(expected)));
}

// Undefined if there is no such field.
QJsonValue fieldOf(const QJsonObject &object, const char *name, bool (QJsonValue::*isExpected)() const,
                   const char *expected)
{
    const QJsonValue value = object.value(QLatin1String(name));
    if (!value.isUndefined() && !(value.*isExpected)())
        wrongType(name, expected);
    return value;
}

} // namespace

QByteArray compactJson(const QJsonObject &object)
{
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

QJsonObject versioned(QJsonObject object)
{
    object.insert(QLatin1String("v"), FormatVersion);
    return object;
}

JsonFields::JsonFields(const QByteArray &bytes, int version, int oldest)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(bytes, &error);
    if (error.error != QJsonParseError::NoError)
        throw Malformed(QStringLiteral("not JSON: %1").arg(error.errorString()));
    if (!document.isObject())
        throw Malformed(QStringLiteral("not a JSON object"));
    m_object = document.object();
    requireVersion(version, oldest > 0 ? oldest : version);
}

JsonFields::JsonFields(QJsonObject object, int version) : m_object(std::move(object))
{
    requireVersion(version, version);
}

void JsonFields::requireVersion(int version, int oldest) const
{
    const qint64 found = integer("v", 0, std::numeric_limits<int>::max(), 0);
    if (found > version)
        throw NewerFormat(found, version);
    if (found < oldest)
        throw Malformed(QStringLiteral("version %1 of the format, this program knows %2").arg(found).arg(version));
}

QString JsonFields::string(const char *name, const QString &fallback) const
{
    return fieldOf(m_object, name, &QJsonValue::isString, "a string").toString(fallback);
}

QStringList JsonFields::strings(const char *name) const
{
    QStringList strings;
    const QJsonArray array = list(name);
    for (const QJsonValue &item : array) {
        if (!item.isString())
            wrongType(name, "a list of strings");
        strings.append(item.toString());
    }
    return strings;
}

QList<int> JsonFields::integers(const char *name, int minimum, int maximum) const
{
    QList<int> integers;
    const QJsonArray array = list(name);
    for (const QJsonValue &item : array) {
        const double number = item.toDouble(std::numeric_limits<double>::quiet_NaN());
        if (!(number >= minimum && number <= maximum) || number != std::floor(number))
            wrongType(name, "a list of numbers in range");
        integers.append(static_cast<int>(number));
    }
    return integers;
}

Environment JsonFields::environment(const char *name) const
{
    Environment environment;
    const QJsonObject object = nested(name);
    for (auto it = object.begin(); it != object.end(); ++it) {
        if (!it.value().isString() || it.key().isEmpty() || it.key().contains(u'='))
            wrongType(name, "an object of strings named without =");
        environment.emplace(it.key(), it.value().toString());
    }
    return environment;
}

qint64 JsonFields::integer(const char *name, qint64 minimum, qint64 maximum, qint64 fallback) const
{
    const QJsonValue value = m_object.value(QLatin1String(name));
    if (value.isUndefined())
        return fallback;
    const double number = value.toDouble(std::numeric_limits<double>::quiet_NaN());
    if (!(std::abs(number) < 9e18) || std::floor(number) != number)
        wrongType(name, "an integer");
    const qint64 integer = value.toInteger();
    if (integer < minimum || integer > maximum)
        throw Malformed(QStringLiteral("field \"%1\" is %2, allowed are %3 to %4")
                            .arg(QLatin1String(name))
                            .arg(integer)
                            .arg(minimum)
                            .arg(maximum));
    return integer;
}

bool JsonFields::boolean(const char *name, bool fallback) const
{
    return fieldOf(m_object, name, &QJsonValue::isBool, "true or false").toBool(fallback);
}

std::chrono::milliseconds JsonFields::milliseconds(const char *name) const
{
    return std::min(std::chrono::milliseconds(integer(name, 0, qint64(1) << 53, 0)), text::LastInstant);
}

QJsonObject JsonFields::nested(const char *name) const
{
    return fieldOf(m_object, name, &QJsonValue::isObject, "an object").toObject();
}

QJsonArray JsonFields::list(const char *name) const
{
    return fieldOf(m_object, name, &QJsonValue::isArray, "a list").toArray();
}

JsonFields JsonFields::ofPart(const QJsonValue &value)
{
    if (!value.isObject())
        throw Malformed(QStringLiteral("a part of it is not a JSON object"));
    JsonFields fields;
    fields.m_object = value.toObject();
    return fields;
}

QJsonObject unknownFields(const QJsonObject &stored, const QJsonObject &written)
{
    QJsonObject unknown = stored;
    for (const QString &name : written.keys())
        unknown.remove(name);
    return unknown;
}

QJsonObject withFields(QJsonObject object, const QJsonObject &unknown)
{
    for (auto it = unknown.begin(); it != unknown.end(); ++it) {
        if (!object.contains(it.key()))
            object.insert(it.key(), it.value());
    }
    return object;
}

JsonWriter &JsonWriter::add(const char *name, const QJsonValue &value, bool isOmitted)
{
    if (!isOmitted || m_isWhole)
        m_object.insert(QLatin1String(name), value);
    return *this;
}

JsonWriter &JsonWriter::add(const char *name, const QStringList &value)
{
    return add(name, QJsonArray::fromStringList(value), value.isEmpty());
}

JsonWriter &JsonWriter::add(const char *name, const QList<int> &value)
{
    QJsonArray array;
    for (const int number : value)
        array.append(number);
    return add(name, array, array.isEmpty());
}

JsonWriter &JsonWriter::add(const char *name, const Environment &value)
{
    QJsonObject object;
    for (const auto &[key, text] : value)
        object.insert(key, text);
    return add(name, object, object.isEmpty());
}

void requireNodeName(const char *field, const QString &name)
{
    if (name.isEmpty())
        return;
    QString why = QStringLiteral("must not hold a slash");
    try {
        if (zk::Path("/" + name.toUtf8()).parent().isRoot())
            return;
    } catch (const zk::InvalidPath &error) {
        why = QString::fromUtf8(error.what());
    }
    throw Malformed(QStringLiteral("field \"%1\": %2").arg(QLatin1String(field), why));
}

} // namespace drover::jobs
