#include "jobs/cluster/cordon.h"

#include "jobs/audit/actor_name.h"
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

async::Task<void> cordon(Cluster cluster, QByteArray worker, Cordon cordon, AuditAction action)
{
    const zk::Path path = cluster.layout.cordon(worker);
    const QByteArray data = cordon.encode();
    const AuditNote note(cluster, action, QString::fromLatin1(worker), cordon.why);
    for (;;) {
        zk::Transaction create;
        create.create(path, data);
        const Answer<zk::Committed> created = co_await commitNoted(cluster, create, note);
        if (created.ok())
            co_return;
        if (created.is(zk::Code::NoNode)) {
            co_await cluster.zk.ensurePath(cluster.layout.cordons()); // a cluster from before there were any
            continue;
        }
        zk::Transaction replace;
        replace.set(path, data);
        const Answer<zk::Committed> replaced = co_await commitNoted(cluster, replace, note);
        if (replaced.ok())
            co_return;
    }
}

async::Task<bool> placeCordon(Cluster cluster, QByteArray worker, std::optional<QString> why, AuditAction action)
{
    const std::optional<Cordon> present = co_await cordonOf(cluster, worker);
    if (present && !why)
        co_return true;
    const Answer<zk::Stat> member = co_await Persistent(cluster.zk).exists(cluster.layout.members() / worker);
    if (!member.ok() && !present)
        co_return false;
    Cordon placed;
    placed.by = actorName(cluster);
    placed.why = why.value_or(QString());
    placed.at = cluster.zk.loop().wallClock();
    co_await cordon(cluster, worker, placed, action);
    co_return true;
}

async::Task<void> uncordon(Cluster cluster, QByteArray worker)
{
    zk::Transaction lift;
    lift.remove(cluster.layout.cordon(worker));
    const AuditNote note(cluster, AuditAction::WorkerUncordoned, QString::fromLatin1(worker));
    const Answer<zk::Committed> lifted = co_await commitNoted(cluster, lift, note);
    lifted.requireUnless(zk::Code::NoNode); // there is none
}

async::Task<std::optional<Cordon>> cordonOf(Cluster cluster, QByteArray worker)
{
    const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(cluster.layout.cordon(worker));
    if (!node.ok())
        co_return std::nullopt;
    co_return tryDecode<Cordon>(node->data).value_or(Cordon());
}

} // namespace drover::jobs
