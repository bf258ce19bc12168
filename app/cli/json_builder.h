#pragma once

#include "app/cli/units.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

#include <chrono>
#include <utility>

namespace drover::app {

inline QJsonArray toJson(const QList<int> &numbers)
{
    QJsonArray array;
    for (const int number : numbers)
        array.append(number);
    return array;
}

// A duration as a job file has it, which parseDuration() reads as exactly this one: "1h30m", "1s500ms".
inline QString exactDuration(std::chrono::milliseconds duration)
{
    constexpr std::pair<const char *, qint64> Units[]{
        {"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1000}, {"ms", 1}};
    QString text;
    qint64 rest = duration.count();
    for (const auto &[unit, size] : Units) {
        if (rest >= size)
            text += QString::number(rest / size) + QLatin1String(unit);
        rest %= size;
    }
    return text.isEmpty() ? QStringLiteral("0s") : text;
}

// Fills a JSON object. Unknown values are left out, so a reader can distinguish them from "" and 0.
class JsonBuilder
{
public:
    explicit JsonBuilder(QJsonObject &object) : m_object(object) { }

    void set(const char *key, const QJsonValue &value) { m_object.insert(QLatin1String(key), value); }
    void text(const char *key, const QString &value)
    {
        if (!value.isEmpty())
            set(key, value);
    }
    void list(const char *key, const QStringList &values)
    {
        if (!values.isEmpty())
            set(key, QJsonArray::fromStringList(values));
    }
    void count(const char *key, qint64 value)
    {
        if (value > 0)
            set(key, value);
    }
    // A std::optional of what JSON has.
    void known(const char *key, const auto &value)
    {
        if (value)
            set(key, *value);
    }
    void time(const char *key, std::chrono::milliseconds instant) { text(key, formatTime(instant)); }
    void duration(const char *key, std::chrono::milliseconds value)
    {
        if (value.count() > 0)
            set(key, exactDuration(value));
    }
    void flag(const char *key, bool value)
    {
        if (value)
            set(key, true);
    }

private:
    QJsonObject &m_object;
};

} // namespace drover::app
