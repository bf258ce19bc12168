#include "jobs/cluster/backpressure.h"

#include "jobs/model/json_fields.h"
#include "recipes/blocks/persistent.h"

namespace drover::jobs {

template <class Fields, class Record>
void Backpressure::fields(Fields &each, Record &pressure)
{
    each("reason", pressure.reason);
    each("since_ms", pressure.since);
}

QByteArray Backpressure::encode() const
{
    return encodeRecord(*this);
}

Backpressure Backpressure::of(const QByteArray &bytes)
{
    try {
        return decodeRecord<Backpressure>(bytes);
    } catch (const Malformed &) {
        return {};
    }
}

async::Task<std::optional<Backpressure>> backpressureOn(Cluster cluster)
{
    const zk::Answer<zk::Node> node = co_await recipes::Persistent(cluster.zk).get(cluster.layout.backpressure());
    co_return node.ok() ? std::optional(Backpressure::of(node->data)) : std::nullopt;
}

} // namespace drover::jobs
