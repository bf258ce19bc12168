#include "jobs/cluster/limits.h"

#include "jobs/audit/audit_note.h"
#include "jobs/cluster/numbers.h"
#include "jobs/model/job_id.h"
#include "recipes/blocks/persistent.h"
#include "recipes/locks/semaphore.h"
#include "recipes/values/counter.h"
#include "text/name.h"

#include <algorithm>

namespace drover::jobs {

using recipes::Persistent;
using recipes::SharedCount;
using zk::Answer;

namespace {

async::Task<void> writePermits(Cluster cluster, QByteArray name, int permits, std::optional<AuditNote> note)
{
    const zk::Path path = cluster.layout.permits(name);
    zk::Transaction replace;
    replace.set(path, SharedCount::encode(permits));
    zk::Transaction create;
    create.create(path, SharedCount::encode(permits));
    for (;;) {
        const Answer<zk::Committed> replaced = co_await commitNoted(cluster, replace, note);
        if (replaced.ok())
            co_return;
        const Answer<zk::Committed> created = co_await commitNoted(cluster, create, note);
        if (created.ok())
            co_return;
        if (created.is(zk::Code::NoNode))
            co_await cluster.zk.ensurePath(cluster.layout.limit(name));
    }
}

} // namespace

async::Task<void> setLimit(Cluster cluster, QByteArray name, int permits)
{
    const AuditNote note(cluster, AuditAction::LimitSet, QString::fromUtf8(name), QString::number(permits));
    co_await writePermits(cluster, name, permits, note);
}

async::Task<void> setPermits(Cluster cluster, QByteArray name, int permits)
{
    co_await writePermits(cluster, name, permits, std::nullopt);
}

async::Task<bool> unsetLimit(Cluster cluster, QByteArray name)
{
    const zk::Path limit = cluster.layout.limit(name);
    const AuditNote note(cluster, AuditAction::LimitSet, QString::fromUtf8(name), QStringLiteral("none"));
    for (;;) {
        const Answer<zk::Children> present = co_await Persistent(cluster.zk).children(limit);
        zk::Transaction transaction; // the semaphore's directories go as well, if they are empty
        for (const QByteArray &child : present->names)
            transaction.remove(limit / child);
        if (transaction.empty())
            co_return true;
        const Answer<zk::Committed> committed = co_await commitNoted(cluster, transaction, note);
        if (committed.ok())
            co_return true;
        if (committed.is(zk::Code::NotEmpty))
            co_return false;
        // One of them was made or deleted meanwhile.
    }
}

async::Task<int> permitsOfLimit(Cluster cluster, QByteArray name)
{
    const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(cluster.layout.permits(name));
    const std::optional<int> permits = node.ok() ? SharedCount::decode(node->data) : std::nullopt;
    co_return permits.value_or(UnsetPermits);
}

async::Task<void> ensureLimit(Cluster cluster, QByteArray name)
{
    co_await cluster.zk.ensurePath(cluster.layout.limit(name));
    const Answer<zk::Created> created =
        co_await Persistent(cluster.zk).create(cluster.layout.permits(name), SharedCount::encode(UnsetPermits));
    created.requireUnless(zk::Code::NodeExists);
}

async::Task<qint64> numbersOfLimit(Cluster cluster, QByteArray name)
{
    qint64 most = 0;
    for (const char *const directory : {"locks", "leases"}) { // of recipes::Semaphore
        const Answer<zk::Stat> stat = co_await Persistent(cluster.zk).exists(cluster.layout.limit(name) / directory);
        if (stat.ok())
            most = std::max(most, numbersGiven(*stat));
    }
    co_return most;
}

async::Task<std::vector<Limit>> listLimits(Cluster cluster)
{
    const Answer<zk::Children> children = co_await Persistent(cluster.zk).children(cluster.layout.limits());
    QByteArrayList names = children->names;
    std::sort(names.begin(), names.end());
    std::vector<Limit> limits;
    for (const QByteArray &name : names) {
        if (!text::isLockName(QString::fromUtf8(name)))
            continue;
        const zk::Path path = cluster.layout.permits(name);
        const Answer<zk::Stat> present = co_await Persistent(cluster.zk).exists(path);
        if (!present.ok())
            continue; // of drover semaphore, where each user says the number
        SharedCount count(cluster.zk, path);
        recipes::Semaphore semaphore(cluster.zk, cluster.layout.limit(name), path);
        const int permits = co_await count.get();
        const std::vector<recipes::Participant> leases = co_await semaphore.participants();
        limits.push_back({name, permits, std::min(permits, static_cast<int>(leases.size()))});
    }
    co_return limits;
}

} // namespace drover::jobs
