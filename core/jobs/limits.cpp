#include "jobs/limits.h"

#include "jobs/job_id.h"
#include "recipes/counter.h"
#include "recipes/persist.h"
#include "recipes/semaphore.h"

#include <algorithm>

namespace drover::jobs {

using recipes::persist;
using recipes::SharedCount;
using zk::Answer;

async::Task<void> setLimit(zk::Coordinator &zk, Layout layout, QByteArray name, int permits)
{
    SharedCount count(zk, layout.permits(name));
    co_await count.set(permits);
}

async::Task<bool> unsetLimit(zk::Coordinator &zk, Layout layout, QByteArray name)
{
    const zk::Path limit = layout.limit(name);
    const auto list = [&] { return zk.children(limit); };
    for (;;) {
        const Answer<zk::Children> present = co_await persist(zk, list);
        zk::Transaction transaction; // the semaphore's directories go as well, if they are empty
        for (const QByteArray &child : present->names)
            transaction.remove(limit / child);
        if (transaction.empty())
            co_return true;
        const auto commit = [&] { return zk.commit(transaction); };
        const Answer<zk::Committed> committed = co_await persist(zk, commit);
        if (committed.ok())
            co_return true;
        if (committed.is(zk::Code::NotEmpty))
            co_return false;
        // One of them was made or deleted meanwhile.
    }
}

async::Task<void> ensureLimit(zk::Coordinator &zk, Layout layout, QByteArray name)
{
    const zk::Path path = layout.permits(name);
    const auto create = [&] { return zk.create(path, SharedCount::encode(UnsetPermits)); };
    co_await zk.ensurePath(layout.limit(name));
    const Answer<zk::Created> created = co_await persist(zk, create);
    if (!created.is(zk::Code::NodeExists))
        created.require();
}

async::Task<std::vector<Limit>> listLimits(zk::Coordinator &zk, Layout layout)
{
    const auto list = [&] { return zk.children(layout.limits()); };
    const Answer<zk::Children> children = co_await persist(zk, list);
    QByteArrayList names = children->names;
    std::sort(names.begin(), names.end());
    std::vector<Limit> limits;
    for (const QByteArray &name : names) {
        if (!isValidLockName(QString::fromUtf8(name)))
            continue;
        const zk::Path path = layout.permits(name);
        const auto look = [&] { return zk.exists(path); };
        const Answer<zk::Stat> present = co_await persist(zk, look);
        if (!present.ok())
            continue; // of drover semaphore, where each user says the number
        SharedCount count(zk, path);
        recipes::Semaphore semaphore(zk, layout.limit(name), path);
        const int permits = co_await count.get();
        const std::vector<recipes::Participant> leases = co_await semaphore.participants();
        limits.push_back({name, permits, std::min(permits, static_cast<int>(leases.size()))});
    }
    co_return limits;
}

} // namespace drover::jobs
