#include "jobs/cluster/output_access.h"

#include "jobs/model/json_fields.h"
#include "recipes/blocks/persistent.h"

#include <QRandomGenerator>

#include <array>

namespace drover::jobs {

namespace {

constexpr qsizetype KeySize = 32; // bytes

} // namespace

// From the kernel: a secret cannot come from a run's seed.
QByteArray OutputAccess::newKey()
{
    std::array<quint32, KeySize / sizeof(quint32)> words{};
    QRandomGenerator::system()->fillRange(words.data(), words.size());
    return QByteArray(reinterpret_cast<const char *>(words.data()), KeySize);
}

QByteArray OutputAccess::encode() const
{
    return JsonWriter().add("endpoint", endpoint).add("key", QString::fromLatin1(key.toHex())).bytes();
}

OutputAccess OutputAccess::decode(const QByteArray &bytes)
{
    const JsonFields fields(bytes);
    OutputAccess access{.endpoint = fields.string("endpoint"),
                        .key = QByteArray::fromHex(fields.string("key").toLatin1())};
    if (access.key.size() != KeySize)
        throw Malformed(QStringLiteral("field \"key\": a key has %1 bytes").arg(KeySize));
    return access;
}

async::Task<bool> publishOutputAccess(Cluster cluster, QByteArray worker, OutputAccess access)
{
    const recipes::Persistent persistent(cluster.zk);
    const zk::Path path = cluster.layout.output(worker);
    const zk::Answer<zk::Created> created =
        co_await persistent.create(path, access.encode(), zk::CreateMode::Ephemeral);
    if (created.ok())
        co_return true;
    created.requireUnless(zk::Code::NodeExists);
    // Ours, if the reply was lost. A worker may not read what is there, but may ask whose it is.
    const zk::Answer<zk::Stat> stat = co_await persistent.exists(path);
    co_return stat.ok() && stat->ephemeralOwner == cluster.zk.sessionId();
}

} // namespace drover::jobs
