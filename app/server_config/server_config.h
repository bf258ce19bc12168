#pragma once

#include <QByteArray>
#include <QList>
#include <QString>

#include <optional>

namespace drover::app {

// The configuration file of a ZooKeeper server, zoo.cfg, read as ZooKeeper reads it. It has Java's properties: the last
// of equal keys counts, and a comment has a line of its own. Holds all settings; the text has at most MostBytes.
class ServerConfig
{
public:
    static constexpr qint64 MostBytes = 1 << 20;
    static constexpr int DefaultTick = 3000; // ms, ZooKeeper's
    static constexpr const char *UsualDataDir = "/var/lib/zookeeper"; // Debian's

    struct Setting {
        QString key;
        QString value; // without blanks around it
        int line = 0; // from 1
    };

    // `name` is the file's, for messages. Throws UsageError with the line's number if the text is not a configuration.
    ServerConfig(QString name, const QByteArray &text);

    // In the order of the file.
    const QList<Setting> &settings() const { return m_settings; }
    // The one that counts; null: there is none.
    const Setting *find(const QString &key) const;
    // The value that counts; empty: it is not set.
    QString value(const QString &key) const;
    // Nothing if it is not set or no whole number.
    std::optional<int> number(const QString &key) const;
    // As ZooKeeper reads a flag: false if it is not set.
    bool flag(const QString &key) const { return value(key).compare(u"true", Qt::CaseInsensitive) == 0; }

    // "zoo.cfg:3", or the file if the key is not set.
    QString placeOf(const QString &key) const;
    QString placeOf(const Setting &setting) const;

private:
    QString m_name;
    QList<Setting> m_settings;
};

// What stands in a finding of a value that may have any length.
QString shortened(const QString &value);

} // namespace drover::app
