#include "app/cluster/cluster_settings.h"

#include <QJsonDocument>

namespace drover::app {

namespace {

QByteArray merged(const QByteArray &stored, const jobs::ClusterConfig &before, const jobs::ClusterConfig &after)
{
    QJsonObject object = QJsonDocument::fromJson(stored).object();
    const QJsonObject mine = QJsonDocument::fromJson(after.encode()).object();
    const QStringList known = QJsonDocument::fromJson(before.encode()).object().keys() + mine.keys();
    for (const QString &key : known)
        object.insert(key, mine.value(key)); // removes it where we have none
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

} // namespace

async::Task<jobs::ClusterConfig> changeSettings(jobs::Cluster cluster,
                                                std::function<void(jobs::ClusterConfig &)> change)
{
    const zk::Path path = cluster.layout.config();
    for (;;) {
        const zk::Answer<zk::Node> node = co_await cluster.zk.get(path);
        node.require();
        const jobs::ClusterConfig before = jobs::ClusterConfig::decode(node->data);
        jobs::ClusterConfig after = before;
        change(after);
        if (after == before)
            co_return after;
        const QByteArray settings = merged(node->data, before, after);
        const zk::Answer<zk::Stat> written = co_await cluster.zk.set(path, settings, node->stat.version);
        if (written.is(zk::Code::BadVersion))
            continue; // another client has changed them
        written.require();
        co_return after;
    }
}

} // namespace drover::app
