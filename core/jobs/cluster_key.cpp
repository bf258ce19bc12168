#include "jobs/cluster_key.h"

#include "jobs/json_fields.h"
#include "recipes/persist.h"

#include <QLoggingCategory>
#include <QRandomGenerator>

#include <array>

namespace drover::jobs {

Q_LOGGING_CATEGORY(lcKey, "drover.jobs.key")

namespace {

constexpr int Version = 1;
constexpr qsizetype KeySize = 32; // bytes

// From the kernel: a secret cannot come from a run's seed.
QByteArray newKey()
{
    std::array<quint32, KeySize / sizeof(quint32)> words{};
    QRandomGenerator::system()->fillRange(words.data(), words.size());
    return QByteArray(reinterpret_cast<const char *>(words.data()), KeySize);
}

} // namespace

async::Task<void> ensureClusterKey(zk::Coordinator &zk, Layout layout)
{
    const zk::Path path = layout.key();
    const auto look = [&] { return zk.exists(path); };
    const zk::Answer<zk::Stat> there = co_await recipes::persist(zk, look);
    if (there.ok())
        co_return;
    const QByteArray data = JsonWriter(Version).add("key", QString::fromLatin1(newKey().toHex())).bytes();
    const auto create = [&] { return zk.create(path, data); };
    const zk::Answer<zk::Created> created = co_await recipes::persist(zk, create);
    if (!created.is(zk::Code::NodeExists))
        created.require();
}

async::Task<std::optional<QByteArray>> clusterKey(zk::Coordinator &zk, Layout layout)
{
    const zk::Path path = layout.key();
    const auto read = [&] { return zk.get(path); };
    const zk::Answer<zk::Node> node = co_await recipes::persist(zk, read);
    if (!node.ok())
        co_return std::nullopt;
    try {
        const QByteArray key = QByteArray::fromHex(JsonFields(node->data, Version).string("key").toLatin1());
        if (key.size() == KeySize)
            co_return key;
        qCDebug(lcKey, "%s holds no key of %d bytes", path.c_str(), int(KeySize));
    } catch (const Malformed &error) {
        qCDebug(lcKey, "%s is malformed: %s", path.c_str(), error.what());
    }
    co_return std::nullopt;
}

} // namespace drover::jobs
