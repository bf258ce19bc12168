#include "jobs/cluster.h"

#include "jobs/cluster_key.h"
#include "jobs/count_text.h"
#include "recipes/persist.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::jobs {

using recipes::persist;
using zk::Answer;
using zk::Code;

Q_LOGGING_CATEGORY(lcCluster, "drover.jobs.cluster")

namespace {

constexpr int Version = 1;

QString joined(const QByteArrayList &names)
{
    return names.isEmpty() ? QStringLiteral("none") : QString::fromUtf8(names.join(", "));
}

async::Task<QByteArrayList> sortedChildren(zk::Coordinator &zk, zk::Path path)
{
    const auto list = [&] { return zk.children(path); };
    const Answer<zk::Children> children = co_await persist(zk, list);
    QByteArrayList names = children->names;
    std::sort(names.begin(), names.end());
    co_return names;
}

} // namespace

QueueFull::QueueFull(const QByteArray &queue, qint64 limit) : QueueFull(describeFull(queue, limit)) { }

QString describeFull(const QByteArray &queue, qint64 limit)
{
    return QStringLiteral("queue %1 holds %2, its limit; drover cluster limits --queue-limit N raises it")
        .arg(QString::fromUtf8(queue), formatCount(limit, "unfinished job", "unfinished jobs"));
}

QByteArray ClusterConfig::encode() const
{
    return JsonWriter(Version)
        .add("queue_limit", queueLimit)
        .add("done_limit", doneLimit)
        .add("history_keep_ms", historyKeep)
        .add("history_limit", historyLimit)
        .add("history", history)
        .add("history_when_away", dropWhenAway ? QStringLiteral("drop") : QStringLiteral("hold"))
        .bytes();
}

ClusterConfig ClusterConfig::decode(const QByteArray &bytes)
{
    const JsonFields fields(bytes, Version);
    ClusterConfig config;
    config.queueLimit = fields.integer("queue_limit", 1, 10'000'000, DefaultQueueLimit);
    config.doneLimit = fields.integer("done_limit", 1, 10'000'000, DefaultDoneLimit);
    config.historyKeep = fields.milliseconds("history_keep_ms");
    config.historyLimit = fields.integer("history_limit", 0, qint64(1) << 53, 0);
    config.history = fields.string("history");
    config.dropWhenAway = fields.string("history_when_away") == u"drop";
    return config;
}

async::Task<void> ensureCluster(zk::Coordinator &zk, Layout layout, QByteArrayList queues)
{
    std::vector<zk::Path> paths{layout.members(), layout.master(), layout.queues(),    layout.claims(),
                                layout.idle(),    layout.done(),   layout.locks(),     layout.limits(),
                                layout.cordons(), layout.gangs(),  layout.submitters()};
    for (const QByteArray &queue : queues) {
        paths.push_back(layout.queue(queue));
        paths.push_back(layout.idle(queue));
        paths.push_back(layout.waiting(queue));
    }
    for (const zk::Path &path : paths)
        co_await zk.ensurePath(path);
    const QByteArray defaults = ClusterConfig().encode();
    const zk::Path config = layout.config();
    const auto create = [&] { return zk.create(config, defaults); };
    const Answer<zk::Created> created = co_await persist(zk, create);
    if (!created.is(Code::NodeExists))
        created.require();
    co_await ensureClusterKey(zk, layout);
}

async::Task<ClusterConfig> openCluster(zk::Coordinator &zk, Layout layout)
{
    const zk::Path path = layout.config();
    const auto read = [&] { return zk.get(path); };
    const Answer<zk::Node> node = co_await persist(zk, read);
    if (!node.ok()) {
        const QByteArrayList names = co_await sortedChildren(zk, Layout::clusters());
        throw NotFound(
            QStringLiteral(
                "there is no cluster \"%1\" here (clusters: %2); the first worker makes it: drover worker --cluster %1")
                .arg(QString::fromUtf8(layout.cluster()), joined(names)));
    }
    try {
        co_return ClusterConfig::decode(node->data);
    } catch (const Malformed &error) {
        qCWarning(lcCluster, "%s is malformed (%s): using the defaults", path.c_str(), error.what());
    }
    co_return ClusterConfig();
}

async::Task<QByteArrayList> queueNames(zk::Coordinator &zk, Layout layout)
{
    return sortedChildren(zk, layout.queues());
}

async::Task<void> requireQueue(zk::Coordinator &zk, Layout layout, QByteArray queue)
{
    const zk::Path path = layout.queue(queue);
    const auto look = [&] { return zk.exists(path); };
    const Answer<zk::Stat> stat = co_await persist(zk, look);
    if (stat.ok())
        co_return;
    const QByteArrayList names = co_await queueNames(zk, layout);
    throw NotFound(
        QStringLiteral(
            "there is no queue \"%1\" in cluster %2 (queues: %3); a worker makes it: drover worker --queue %1")
            .arg(QString::fromUtf8(queue), QString::fromUtf8(layout.cluster()), joined(names)));
}

} // namespace drover::jobs
