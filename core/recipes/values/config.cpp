#include "recipes/values/config.h"

#include "recipes/blocks/persistent.h"
#include "recipes/values/value.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>

namespace drover::recipes {

using zk::Answer;

NotJson::NotJson(const zk::Path &path, const QString &why)
    : zk::Error(zk::Code::MarshallingError, QStringLiteral("%1 is not JSON: %2").arg(path.toString(), why))
{
}

// QJsonDocument knows objects and arrays only, so a value travels as the one element of an array.
QJsonValue Setting::json() const
{
    QJsonParseError error;
    const QJsonArray array = QJsonDocument::fromJson('[' + bytes + ']', &error).array();
    if (error.error != QJsonParseError::NoError)
        throw NotJson(path, error.errorString());
    if (array.size() != 1)
        throw NotJson(path, QStringLiteral("%1 values instead of one").arg(array.size()));
    return array.first();
}

QByteArray Config::bytesOf(const QJsonValue &json)
{
    const QByteArray array = QJsonDocument(QJsonArray{json}).toJson(QJsonDocument::Compact);
    return array.mid(1, array.size() - 2);
}

async::Task<std::optional<Setting>> Config::get(QByteArray key)
{
    Value value(m_zk, m_directory / key);
    const std::optional<zk::Node> node = co_await value.get();
    if (!node)
        co_return std::nullopt;
    co_return Setting{value.path(), node->data, node->stat.version};
}

async::Task<std::optional<qint32>> Config::set(QByteArray key, QByteArray bytes)
{
    Value value(m_zk, m_directory / key);
    co_return co_await value.set(bytes);
}

async::Task<std::optional<qint32>> Config::setIf(QByteArray key, std::optional<qint32> ifVersion, QByteArray bytes)
{
    Value value(m_zk, m_directory / key);
    co_return co_await value.setIf(ifVersion, bytes);
}

async::Task<QByteArrayList> Config::keys()
{
    const Answer<zk::Children> children = co_await Persistent(m_zk).children(m_directory);
    QByteArrayList names = children->names;
    names.removeIf(Receipts::isReceipt);
    std::sort(names.begin(), names.end());
    co_return names;
}

async::Task<void> Config::watch(QByteArray key, std::function<void(const Setting *)> onChange)
{
    Value value(m_zk, m_directory / key);
    const std::function<void(const zk::Node *)> show = [&](const zk::Node *node) {
        const Setting setting = node ? Setting{value.path(), node->data, node->stat.version} : Setting();
        onChange(node ? &setting : nullptr);
    };
    co_await value.watch(show);
}

} // namespace drover::recipes
