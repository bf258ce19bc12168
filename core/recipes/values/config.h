#pragma once

#include "zk/client.h"

#include <QJsonValue>

#include <functional>

namespace drover::recipes {

// A setting is not valid JSON.
class NotJson : public zk::Error
{
public:
    NotJson(const zk::Path &path, const QString &why);
};

struct Setting {
    zk::Path path;
    QByteArray bytes;
    qint32 version = 0;

    // Throws NotJson. A bare value ("8", "true") is JSON too.
    QJsonValue json() const;
};

// Settings that processes share and that change while they run. Each key is one Value.
//
//     <directory>/<key>              data = bytes, or JSON; a key may have several parts: "limits/jobs"
//
// Failures are as in Value: each write is carried out once, and its true outcome is returned.
class Config
{
public:
    Config(zk::Client &zk, zk::Path directory) : m_zk(zk), m_directory(std::move(directory)) { }

    // All throw SessionLost, and InvalidPath for a key that is not a valid path.
    async::Task<std::optional<Setting>> get(QByteArray key);
    // Returns the new version; nothing if the reply was lost.
    async::Task<std::optional<qint32>> set(QByteArray key, QByteArray bytes);
    // Writes if the key still has the version `ifVersion`, or, without one, if the key does not exist. Returns the new
    // version, or nothing if another writer was first.
    async::Task<std::optional<qint32>> setIf(QByteArray key, std::optional<qint32> ifVersion, QByteArray bytes);
    // The keys of the first level, sorted.
    async::Task<QByteArrayList> keys();
    // Calls `onChange` now and after every change, with nullptr while the key does not exist.
    async::Task<void> watch(QByteArray key, std::function<void(const Setting *)> onChange);

    // The stored form of a JSON value: one line, keys sorted.
    static QByteArray bytesOf(const QJsonValue &json);

private:
    zk::Client &m_zk;
    zk::Path m_directory;
};

} // namespace drover::recipes
