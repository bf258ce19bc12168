#include "jobs/cordon.h"

#include "jobs/json_fields.h"
#include "recipes/persist.h"

namespace drover::jobs {

using recipes::persist;
using zk::Answer;

namespace {

constexpr int Version = 1;

} // namespace

QByteArray Cordon::encode() const
{
    return JsonWriter(Version).add("by", by).add("why", why).add("at_ms", at).bytes();
}

Cordon Cordon::decode(const QByteArray &bytes)
{
    const JsonFields fields(bytes, Version);
    Cordon cordon;
    cordon.by = fields.string("by");
    cordon.why = fields.string("why");
    cordon.at = fields.milliseconds("at_ms");
    return cordon;
}

async::Task<void> cordon(zk::Coordinator &zk, Layout layout, QByteArray worker, Cordon cordon)
{
    const zk::Path path = layout.cordon(worker);
    const QByteArray data = cordon.encode();
    const auto create = [&] { return zk.create(path, data); };
    const auto replace = [&] { return zk.set(path, data); };
    for (;;) {
        const Answer<zk::Created> created = co_await persist(zk, create);
        if (created.ok())
            co_return;
        if (created.is(zk::Code::NoNode)) {
            co_await zk.ensurePath(layout.cordons()); // a cluster from before there were any
            continue;
        }
        const Answer<zk::Stat> replaced = co_await persist(zk, replace);
        if (replaced.ok())
            co_return;
    }
}

async::Task<void> uncordon(zk::Coordinator &zk, Layout layout, QByteArray worker)
{
    const zk::Path path = layout.cordon(worker);
    const auto remove = [&] { return zk.remove(path); };
    co_await persist(zk, remove);
}

async::Task<std::optional<Cordon>> cordonOf(zk::Coordinator &zk, Layout layout, QByteArray worker)
{
    const zk::Path path = layout.cordon(worker);
    const auto read = [&] { return zk.get(path); };
    const Answer<zk::Node> node = co_await persist(zk, read);
    if (!node.ok())
        co_return std::nullopt;
    try {
        co_return Cordon::decode(node->data);
    } catch (const Malformed &) {
    }
    co_return Cordon();
}

} // namespace drover::jobs
