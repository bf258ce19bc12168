#pragma once

#include <QByteArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <chrono>
#include <map>
#include <stdexcept>

namespace drover::jobs {

// A znode holds something that is not what its place says: written by another program, another version, or by hand.
// Shown as malformed and skipped; never a reason to stop.
class Malformed : public std::runtime_error
{
public:
    explicit Malformed(const QString &what) : std::runtime_error(what.toStdString()) { }
};

using Environment = std::map<QString, QString>;

// The fields of a JSON object read with their types; throws Malformed, which names the field. A missing field has the
// fallback; a field of the wrong type or out of range is malformed.
class JsonFields
{
public:
    // Throws Malformed if `bytes` is no JSON object or its "v" is not `version`.
    JsonFields(const QByteArray &bytes, int version);
    JsonFields(QJsonObject object, int version); // one that is a part of another

    QString string(const char *name, const QString &fallback = {}) const;
    QStringList strings(const char *name) const;
    Environment environment(const char *name) const;
    QList<int> integers(const char *name, int minimum, int maximum) const;
    qint64 integer(const char *name, qint64 minimum, qint64 maximum, qint64 fallback) const;
    bool boolean(const char *name, bool fallback = false) const;
    std::chrono::milliseconds milliseconds(const char *name) const; // 0 if missing; never negative
    QJsonObject nested(const char *name) const;

    const QJsonObject &object() const { return m_object; }

private:
    void requireVersion(int version) const;

    QJsonObject m_object;
};

// The compact form, beginning with nothing but what is set: empty strings, zeros, empty lists and objects are left out.
class JsonWriter
{
public:
    explicit JsonWriter(int version) { m_object.insert(QLatin1String("v"), version); }

    JsonWriter &add(const char *name, const QString &value);
    JsonWriter &add(const char *name, const QStringList &value);
    JsonWriter &add(const char *name, const QList<int> &value);
    JsonWriter &add(const char *name, const Environment &value);
    JsonWriter &add(const char *name, qint64 value);
    JsonWriter &add(const char *name, bool value);
    JsonWriter &add(const char *name, const QJsonObject &value);
    JsonWriter &add(const char *name, std::chrono::milliseconds value) { return add(name, qint64(value.count())); }

    QByteArray bytes() const;
    const QJsonObject &object() const { return m_object; }

private:
    QJsonObject m_object;
};

} // namespace drover::jobs
