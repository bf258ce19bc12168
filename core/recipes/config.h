#pragma once

#include "zk/coordinator.h"

#include <QJsonValue>

#include <functional>

namespace drover::recipes {

// A setting that was asked for as JSON is none.
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

// Settings that processes share and that change while they run: one Value a key.
//
//     <directory>/<key>              data = bytes, or JSON; a key may have several parts: "limits/jobs"
//
// Failures as with Value: every write is carried out once and reported as it went.
class Config
{
public:
    Config(zk::Coordinator &zk, zk::Path directory) : m_zk(zk), m_directory(std::move(directory)) { }

    // All throw SessionLost and, for a key that is no path, InvalidPath.
    async::Task<std::optional<Setting>> get(QByteArray key);
    // Returns the new version; nothing if the reply was lost.
    async::Task<std::optional<qint32>> set(QByteArray key, QByteArray bytes);
    // Writes if the key still has that version, or, without one, if there is no such key; returns the new version, or
    // nothing: somebody else was first.
    async::Task<std::optional<qint32>> setIf(QByteArray key, std::optional<qint32> ifVersion, QByteArray bytes);
    // The keys of the first level, sorted.
    async::Task<QByteArrayList> keys();
    // Calls `onChange` now and after every change, nullptr while there is no such key.
    async::Task<void> watch(QByteArray key, std::function<void(const Setting *)> onChange);

    // How a JSON value is written: one line, keys sorted.
    static QByteArray bytesOf(const QJsonValue &json);

private:
    zk::Coordinator &m_zk;
    zk::Path m_directory;
};

} // namespace drover::recipes
