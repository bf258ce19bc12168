#pragma once

#include "jobs/model/errors.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QStringList>

#include <chrono>
#include <concepts>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace drover::jobs {

using Environment = std::map<QString, QString>;

// The "v" of every stored record, until the format of one of them changes.
constexpr int FormatVersion = 1;

// The allowed values of a stored whole number. A number that equals `omitted` is not written, and a missing field means
// `omitted`. If `omitted` is not an allowed value, the number is always written, and a missing field leaves the
// default.
struct Bounds {
    qint64 first = 0;
    qint64 last = qint64(1) << 53;
    qint64 omitted = 0;

    bool mayBeOmitted() const { return first <= omitted && omitted <= last; }
};

template <class Number>
concept WholeNumber = std::integral<Number> && !std::same_as<Number, bool>;

// Each stored record lists its fields once, in `static void fields(Fields &each, Record &record)`:
//
//     each("worker", claim.worker);
//     each("slots", claim.slotCount, {1, 4096, 1});
//     each.as("signals", claim.latestSignals, signalTexts, signalsFrom); // stored as what signalTexts() returns
//
// JsonFields calls it to read the record, JsonWriter to write it. decodeRecord() and encodeRecord() do so.

// Reads the fields of a JSON object; throws Malformed, which names the field. A missing field has the fallback. A field
// of the wrong type or out of range is malformed.
class JsonFields
{
public:
    // Throws Malformed if `bytes` is not a JSON object or its "v" is not one of `oldest` to `version`.
    JsonFields(const QByteArray &bytes, int version = FormatVersion, int oldest = 0);
    JsonFields(QJsonObject object, int version = FormatVersion); // of a record within another

    QString string(const char *name, const QString &fallback = {}) const;
    QStringList strings(const char *name) const;
    Environment environment(const char *name) const;
    QList<int> integers(const char *name, int minimum, int maximum) const;
    qint64 integer(const char *name, qint64 minimum, qint64 maximum, qint64 fallback) const;
    bool boolean(const char *name, bool fallback = false) const;
    std::chrono::milliseconds milliseconds(const char *name) const; // 0 if missing; never negative
    QJsonObject nested(const char *name) const;
    QJsonArray list(const char *name) const;
    bool has(const char *name) const { return m_object.contains(QLatin1String(name)); }

    void operator()(const char *name, QString &value) const { value = string(name); }
    void operator()(const char *name, QByteArray &value) const { value = string(name).toLatin1(); }
    void operator()(const char *name, QStringList &value) const { value = strings(name); }
    void operator()(const char *name, Environment &value) const { value = environment(name); }
    void operator()(const char *name, bool &value) const { value = boolean(name); }
    void operator()(const char *name, std::chrono::milliseconds &value) const { value = milliseconds(name); }
    void operator()(const char *name, QJsonObject &value) const { value = nested(name); }
    void operator()(const char *name, QList<int> &value, Bounds bounds) const
    {
        value = integers(name, static_cast<int>(bounds.first), static_cast<int>(bounds.last));
    }
    template <WholeNumber Number>
    void operator()(const char *name, Number &value, Bounds bounds = {}) const
    {
        const qint64 missing = bounds.mayBeOmitted() ? bounds.omitted : qint64(value);
        value = static_cast<Number>(integer(name, bounds.first, bounds.last, missing));
    }
    template <WholeNumber Number>
    void operator()(const char *name, std::optional<Number> &value) const
    {
        if (has(name))
            (*this)(name, value.emplace(0));
    }
    template <class Record>
    void operator()(const char *name, std::optional<Record> &value) const
    {
        if (has(name))
            value = part<Record>(m_object.value(QLatin1String(name)));
    }
    template <class Record>
    void operator()(const char *name, std::vector<Record> &values) const
    {
        for (const QJsonArray array = list(name); const QJsonValue &item : array)
            values.push_back(part<Record>(item));
    }
    template <class Value, class Store, class Restore>
    void as(const char *name, Value &value, Store store, Restore restore) const
    {
        std::decay_t<decltype(store(value))> stored;
        (*this)(name, stored);
        value = restore(stored);
    }

    const QJsonObject &object() const { return m_object; }

private:
    JsonFields() = default;
    static JsonFields ofPart(const QJsonValue &value); // it has no version
    template <class Record>
    static Record part(const QJsonValue &value)
    {
        const JsonFields fields = ofPart(value);
        Record record;
        Record::fields(fields, record);
        return record;
    }
    void requireVersion(int version, int oldest) const;

    QJsonObject m_object;
};

QByteArray compactJson(const QJsonObject &object);

QJsonObject versioned(QJsonObject object); // with "v"

// The fields of a node that only other programs know, for a program that writes the node again. They are the fields of
// `stored` that `written`, this program's form of the node, lacks. Some of them may equal their defaults.
QJsonObject unknownFields(const QJsonObject &stored, const QJsonObject &written);
QJsonObject withFields(QJsonObject object, const QJsonObject &unknown); // its own fields win

// Writes a compact JSON object. Empty texts, zeros, empty lists and objects are left out.
class JsonWriter
{
public:
    explicit JsonWriter(int version = FormatVersion) { m_object.insert(QLatin1String("v"), version); }

    JsonWriter &add(const char *name, const QString &value) { return add(name, value, value.isEmpty()); }
    JsonWriter &add(const char *name, const QStringList &value);
    JsonWriter &add(const char *name, const QList<int> &value);
    JsonWriter &add(const char *name, const Environment &value);
    JsonWriter &add(const char *name, qint64 value) { return add(name, value, value == 0); }
    JsonWriter &add(const char *name, bool value) { return add(name, value, !value); }
    JsonWriter &add(const char *name, const QJsonObject &value) { return add(name, value, value.isEmpty()); }
    JsonWriter &add(const char *name, std::chrono::milliseconds value) { return add(name, qint64(value.count())); }

    template <class Value>
    requires(!WholeNumber<Value>) void operator()(const char *name, const Value &value) { add(name, value); }
    void operator()(const char *name, const QByteArray &value) { add(name, QString::fromLatin1(value)); }
    void operator()(const char *name, const QList<int> &value, Bounds) { add(name, value); }
    template <WholeNumber Number>
    void operator()(const char *name, Number value, Bounds bounds = {})
    {
        add(name, qint64(value), value == bounds.omitted);
    }
    template <WholeNumber Number>
    void operator()(const char *name, const std::optional<Number> &value)
    {
        if (value)
            m_object.insert(QLatin1String(name), qint64(*value));
    }
    template <class Record>
    void operator()(const char *name, const std::optional<Record> &value)
    {
        if (value)
            m_object.insert(QLatin1String(name), part(*value));
    }
    template <class Record>
    void operator()(const char *name, const std::vector<Record> &values)
    {
        QJsonArray array;
        for (const Record &value : values)
            array.append(part(value));
        m_object.insert(QLatin1String(name), array);
    }
    template <class Value, class Store, class Restore>
    void as(const char *name, const Value &value, Store store, Restore)
    {
        (*this)(name, store(value));
    }

    QByteArray bytes() const { return compactJson(m_object); }
    const QJsonObject &object() const { return m_object; }

private:
    JsonWriter &add(const char *name, const QJsonValue &value, bool isOmitted);
    // A record within another is written whole, without a version.
    template <class Record>
    static QJsonObject part(const Record &record)
    {
        JsonWriter writer;
        writer.m_object = {};
        writer.m_isWhole = true;
        Record::fields(writer, record);
        return writer.m_object;
    }

    QJsonObject m_object;
    bool m_isWhole = false;
};

// Readers look for the znodes of the worker and the job that a record names. Throws Malformed, which names the field,
// if no znode can have that name; an empty one is of none.
void requireNodeName(const char *field, const QString &name);

template <class Record>
QJsonObject recordToJson(const Record &record)
{
    JsonWriter writer;
    Record::fields(writer, record);
    return writer.object();
}

template <class Record>
QByteArray encodeRecord(const Record &record)
{
    return compactJson(recordToJson(record));
}

// Throws Malformed. `stored` is bytes or a JSON object.
template <class Record>
Record decodeRecord(const JsonFields &stored)
{
    Record record;
    Record::fields(stored, record);
    return record;
}

// The stored record after `change(Record &)`. Fields that Record does not list stay. Throws Malformed.
template <class Record, class Change>
QJsonObject changedObject(const JsonFields &stored, const Change &change)
{
    Record record = decodeRecord<Record>(stored);
    const QJsonObject unknown = unknownFields(stored.object(), recordToJson(record));
    std::invoke(change, record);
    return withFields(recordToJson(record), unknown);
}

// A record that another record stores in the field `name`, with a version of its own. Its default if the field is
// missing. Throws Malformed.
template <class Record>
Record decodeNested(const JsonFields &outer, const char *name)
{
    return outer.has(name) ? decodeRecord<Record>(outer.nested(name)) : Record();
}

} // namespace drover::jobs
