#include "app/cluster/cluster_settings.h"

#include "jobs/audit/audit_note.h"

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

// "done_limit 100, queue_limit 7", for the audit.
QString changesIn(const jobs::ClusterConfig &before, const jobs::ClusterConfig &after)
{
    const QJsonObject was = QJsonDocument::fromJson(before.encode()).object();
    const QJsonObject is = QJsonDocument::fromJson(after.encode()).object();
    QStringList changes;
    QStringList keys = was.keys() + is.keys();
    keys.removeDuplicates();
    for (const QString &key : std::as_const(keys)) {
        if (was.value(key) != is.value(key))
            changes << (key + u' ' + is.value(key).toVariant().toString()).trimmed();
    }
    return changes.join(QStringLiteral(", "));
}

} // namespace

async::Task<jobs::ClusterConfig> changeSettings(jobs::Cluster cluster,
                                                std::function<void(jobs::ClusterConfig &)> change)
{
    const zk::Path path = cluster.layout.config();
    std::optional<jobs::AuditNote> note; // of all attempts
    for (;;) {
        const zk::Answer<zk::Node> node = co_await cluster.zk.get(path);
        node.require();
        const jobs::ClusterConfig before = jobs::ClusterConfig::decode(node->data);
        jobs::ClusterConfig after = before;
        change(after);
        if (after == before)
            co_return after;
        zk::Transaction write;
        write.set(path, merged(node->data, before, after), node->stat.version);
        if (!note)
            note.emplace(cluster, jobs::AuditAction::SettingsChanged, QStringLiteral("cluster"),
                         changesIn(before, after));
        const zk::Answer<zk::Committed> written = co_await jobs::commitNoted(cluster, write, note);
        if (written.is(zk::Code::BadVersion))
            continue; // another client has changed them
        written.require();
        co_return after;
    }
}

} // namespace drover::app
