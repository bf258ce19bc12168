#include "jobs/cluster/cluster_key.h"

#include "jobs/model/json_fields.h"
#include "recipes/blocks/persistent.h"

#include <QLoggingCategory>
#include <QRandomGenerator>

#include <array>

namespace drover::jobs {

Q_LOGGING_CATEGORY(lcKey, "drover.jobs.key")

namespace {

constexpr qsizetype KeySize = 32; // bytes

// From the kernel: a secret cannot come from a run's seed.
QByteArray newKey()
{
    std::array<quint32, KeySize / sizeof(quint32)> words{};
    QRandomGenerator::system()->fillRange(words.data(), words.size());
    return QByteArray(reinterpret_cast<const char *>(words.data()), KeySize);
}

} // namespace

async::Task<void> ensureClusterKey(Cluster cluster)
{
    const zk::Path path = cluster.layout.key();
    const zk::Answer<zk::Stat> there = co_await recipes::Persistent(cluster.zk).exists(path);
    if (there.ok())
        co_return;
    const QByteArray data = JsonWriter().add("key", QString::fromLatin1(newKey().toHex())).bytes();
    const zk::Answer<zk::Created> created = co_await recipes::Persistent(cluster.zk).create(path, data);
    created.requireUnless(zk::Code::NodeExists);
}

async::Task<std::optional<QByteArray>> clusterKey(Cluster cluster)
{
    const zk::Path path = cluster.layout.key();
    const zk::Answer<zk::Node> node = co_await recipes::Persistent(cluster.zk).get(path);
    if (!node.ok())
        co_return std::nullopt;
    try {
        const QByteArray key = QByteArray::fromHex(JsonFields(node->data).string("key").toLatin1());
        if (key.size() == KeySize)
            co_return key;
        qCDebug(lcKey, "%s holds no key of %d bytes", path.c_str(), int(KeySize));
    } catch (const Malformed &error) {
        qCDebug(lcKey, "%s is malformed: %s", path.c_str(), error.what());
    }
    co_return std::nullopt;
}

} // namespace drover::jobs
