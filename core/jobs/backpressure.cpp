#include "jobs/backpressure.h"

#include "jobs/json_fields.h"
#include "recipes/persist.h"

namespace drover::jobs {

namespace {

constexpr int Version = 1;

} // namespace

QByteArray Backpressure::encode() const
{
    return JsonWriter(Version).add("reason", reason).add("since_ms", since).bytes();
}

Backpressure Backpressure::of(const QByteArray &bytes)
{
    Backpressure pressure;
    try {
        const JsonFields fields(bytes, Version);
        pressure.reason = fields.string("reason");
        pressure.since = fields.milliseconds("since_ms");
    } catch (const Malformed &) {
    }
    return pressure;
}

async::Task<std::optional<Backpressure>> backpressureOn(zk::Coordinator &zk, Layout layout)
{
    const zk::Path path = layout.backpressure();
    const auto read = [&] { return zk.get(path); };
    const zk::Answer<zk::Node> node = co_await recipes::persist(zk, read);
    co_return node.ok() ? std::optional(Backpressure::of(node->data)) : std::nullopt;
}

} // namespace drover::jobs
