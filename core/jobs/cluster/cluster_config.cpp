#include "jobs/cluster/cluster_config.h"

#include "jobs/model/json_fields.h"
#include "recipes/blocks/persistent.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::jobs {

using recipes::Persistent;
using zk::Answer;
using zk::Code;

Q_LOGGING_CATEGORY(lcCluster, "drover.jobs.cluster")

namespace {

QString joined(const QByteArrayList &names)
{
    return names.isEmpty() ? QStringLiteral("none") : QString::fromUtf8(names.join(", "));
}

constexpr qint64 MostJobs = 10'000'000;

QString whenAway(bool drop)
{
    return drop ? QStringLiteral("drop") : QStringLiteral("hold");
}

bool isDrop(const QString &whenAway)
{
    return whenAway == u"drop";
}

async::Task<QByteArrayList> sortedChildren(zk::Client &zk, zk::Path path)
{
    const Answer<zk::Children> children = co_await Persistent(zk).children(path);
    QByteArrayList names = children->names;
    std::sort(names.begin(), names.end());
    co_return names;
}

} // namespace

template <class Fields, class Record>
void ClusterConfig::fields(Fields &each, Record &config)
{
    each("queue_limit", config.queueLimit, {1, MostJobs});
    each("done_limit", config.doneLimit, {1, MostJobs});
    each("history_keep_ms", config.historyKeep);
    each("history_limit", config.historyLimit);
    each("history", config.history);
    each.as("history_when_away", config.dropWhenAway, whenAway, isDrop);
}

QByteArray ClusterConfig::encode() const
{
    return encodeRecord(*this);
}

ClusterConfig ClusterConfig::decode(const QByteArray &bytes)
{
    return decodeRecord<ClusterConfig>(bytes);
}

async::Task<void> ensureCluster(Cluster cluster, QByteArrayList queues)
{
    std::vector<zk::Path> paths{cluster.layout.members(), cluster.layout.master(),     cluster.layout.queues(),
                                cluster.layout.claims(),  cluster.layout.idle(),       cluster.layout.done(),
                                cluster.layout.locks(),   cluster.layout.limits(),     cluster.layout.cordons(),
                                cluster.layout.gangs(),   cluster.layout.submitters(), cluster.layout.outputs(),
                                cluster.layout.audit(),   cluster.layout.throttle()};
    for (const QByteArray &queue : queues) {
        paths.push_back(cluster.layout.queue(queue));
        paths.push_back(cluster.layout.idle(queue));
        paths.push_back(cluster.layout.waiting(queue));
    }
    for (const zk::Path &path : paths)
        co_await cluster.zk.ensurePath(path);
    const QByteArray defaults = ClusterConfig().encode();
    const Answer<zk::Created> created = co_await Persistent(cluster.zk).create(cluster.layout.config(), defaults);
    created.requireUnless(Code::NodeExists);
}

async::Task<ClusterConfig> readClusterConfig(Cluster cluster)
{
    const zk::Path path = cluster.layout.config();
    const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(path);
    if (!node.ok()) {
        const QByteArrayList names = co_await sortedChildren(cluster.zk, Layout::clusters());
        const QByteArray own = cluster.layout.clusterName();
        if (names.contains(own)) // its settings come last: ensureCluster()
            throw NotFound(QStringLiteral("cluster \"%1\" is not whole yet: its first worker is making it, or ended "
                                          "while it did; drover worker --cluster %1 completes it")
                               .arg(QString::fromUtf8(own)));
        throw NotFound(
            QStringLiteral(
                "there is no cluster \"%1\" here (clusters: %2); the first worker makes it: drover worker --cluster %1")
                .arg(QString::fromUtf8(own), joined(names)));
    }
    try {
        co_return ClusterConfig::decode(node->data);
    } catch (const NewerFormat &error) {
        throw WrongState(
            QStringLiteral("cluster %1 is in the hands of a newer drover (its config: %2); update drover on "
                           "this machine")
                .arg(QString::fromUtf8(cluster.layout.clusterName()), QString::fromUtf8(error.what())));
    } catch (const Malformed &error) {
        qCWarning(lcCluster, "%s is malformed (%s): using the defaults", path.c_str(), error.what());
    }
    co_return ClusterConfig();
}

async::Task<QByteArrayList> queueNames(Cluster cluster)
{
    return sortedChildren(cluster.zk, cluster.layout.queues());
}

async::Task<void> requireQueue(Cluster cluster, QByteArray queue)
{
    const Answer<zk::Stat> stat = co_await Persistent(cluster.zk).exists(cluster.layout.queue(queue));
    if (stat.ok())
        co_return;
    const QByteArrayList names = co_await queueNames(cluster);
    throw NotFound(
        QStringLiteral(
            "there is no queue \"%1\" in cluster %2 (queues: %3); a worker makes it: drover worker --queue %1")
            .arg(QString::fromUtf8(queue), QString::fromUtf8(cluster.layout.clusterName()), joined(names)));
}

} // namespace drover::jobs
