#include "jobs/cluster/cordon.h"

#include "jobs/model/json_fields.h"
#include "recipes/blocks/persistent.h"

namespace drover::jobs {

using recipes::Persistent;
using zk::Answer;

template <class Fields, class Record>
void Cordon::fields(Fields &each, Record &cordon)
{
    each("by", cordon.by);
    each("why", cordon.why);
    each("at_ms", cordon.at);
}

QByteArray Cordon::encode() const
{
    return encodeRecord(*this);
}

Cordon Cordon::decode(const QByteArray &bytes)
{
    return decodeRecord<Cordon>(bytes);
}

async::Task<void> cordon(Cluster cluster, QByteArray worker, Cordon cordon)
{
    const zk::Path path = cluster.layout.cordon(worker);
    const QByteArray data = cordon.encode();
    for (;;) {
        const Answer<zk::Created> created = co_await Persistent(cluster.zk).create(path, data);
        if (created.ok())
            co_return;
        if (created.is(zk::Code::NoNode)) {
            co_await cluster.zk.ensurePath(cluster.layout.cordons()); // a cluster from before there were any
            continue;
        }
        const Answer<zk::Stat> replaced = co_await Persistent(cluster.zk).set(path, data);
        if (replaced.ok())
            co_return;
    }
}

async::Task<void> uncordon(Cluster cluster, QByteArray worker)
{
    co_await Persistent(cluster.zk).remove(cluster.layout.cordon(worker));
}

async::Task<std::optional<Cordon>> cordonOf(Cluster cluster, QByteArray worker)
{
    const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(cluster.layout.cordon(worker));
    if (!node.ok())
        co_return std::nullopt;
    co_return tryDecode<Cordon>(node->data).value_or(Cordon());
}

} // namespace drover::jobs
