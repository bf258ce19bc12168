#pragma once

#include <QJsonArray>
#include <QJsonObject>
#include <QString>
#include <QStringList>

namespace drover::app {

inline QJsonArray toJson(const QList<int> &numbers)
{
    QJsonArray array;
    for (const int number : numbers)
        array.append(number);
    return array;
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
    void flag(const char *key, bool value)
    {
        if (value)
            set(key, true);
    }

private:
    QJsonObject &m_object;
};

} // namespace drover::app
