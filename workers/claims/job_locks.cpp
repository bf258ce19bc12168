#include "workers/claims/job_locks.h"

#include "jobs/cluster/limits.h"
#include "recipes/locks/outer_owners.h"
#include "recipes/locks/read_write_lock.h"
#include "recipes/locks/semaphore.h"

#include <algorithm>

namespace drover::workers {

using recipes::Lock;
using recipes::Lockable;
using recipes::Owner;

namespace {

// One half of a lock that may be shared, which is what `drover lock` takes.
class HalfLock final : public Lockable
{
public:
    HalfLock(zk::Client &zk, zk::Path path, bool shared) : m_lock(zk, std::move(path)), m_shared(shared) { }

    const zk::Path &path() const override { return half().path(); }
    async::Task<Lock> acquire(QByteArray about, Owner owner) override { return half().acquire(about, owner); }
    async::Task<std::optional<Lock>> tryAcquire(QByteArray about, Owner owner) override
    {
        return half().tryAcquire(about, owner);
    }

private:
    Lockable &half() { return m_shared ? m_lock.reader() : m_lock.writer(); }
    const Lockable &half() const { return const_cast<HalfLock *>(this)->half(); }

    recipes::ReadWriteLock m_lock;
    bool m_shared;
};

// One permit of a limit.
class Permit final : public Lockable
{
public:
    Permit(jobs::Cluster cluster, QByteArray name)
        : m_cluster(std::move(cluster)), m_name(std::move(name)), m_path(m_cluster.layout.limit(m_name)),
          m_semaphore(m_cluster.zk, m_path, m_cluster.layout.permits(m_name))
    {
    }

    const zk::Path &path() const override { return m_path; }
    async::Task<Lock> acquire(QByteArray about, Owner) override
    {
        co_await jobs::ensureLimit(m_cluster, m_name);
        std::vector<recipes::Lease> leases = co_await m_semaphore.acquire(1, about);
        co_return std::move(leases.front());
    }
    async::Task<std::optional<Lock>> tryAcquire(QByteArray about, Owner) override
    {
        co_await jobs::ensureLimit(m_cluster, m_name);
        std::optional<std::vector<recipes::Lease>> leases = co_await m_semaphore.tryAcquire(1, about);
        if (!leases)
            co_return std::nullopt;
        co_return std::move(leases->front());
    }

private:
    jobs::Cluster m_cluster;
    QByteArray m_name;
    zk::Path m_path;
    recipes::Semaphore m_semaphore;
};

QByteArray fenceVariable(const QString &lock)
{
    QByteArray name = lock.toUpper().toLatin1();
    std::replace_if(
        name.begin(), name.end(), [](char c) { return c == '.' || c == '-'; }, '_');
    return "DROVER_LOCK_FENCE_" + name;
}

QString nameOfLock(const QString &lock)
{
    return QStringLiteral("lock ") + lock;
}

QString nameOfLimit(const QString &limit)
{
    return QStringLiteral("limit ") + limit;
}

QString nameOfLimitOf(const QByteArray &queue)
{
    return QStringLiteral("the limit of queue ") + QString::fromLatin1(queue);
}

} // namespace

std::shared_ptr<const JobLocks> JobLocks::with(std::shared_ptr<const JobLocks> held, QList<QByteArray> environment,
                                               std::shared_ptr<const void> place)
{
    if (held)
        environment = held->environment + environment;
    return std::make_shared<const JobLocks>(
        JobLocks{recipes::MultiHold({}), std::move(environment), {std::move(held), std::move(place)}});
}

QStringList LockRequests::namesOf(const jobs::JobSpec &spec, bool queueLimit)
{
    QStringList names;
    for (const QStringList &locks : {spec.locks, spec.sharedLocks}) {
        for (const QString &lock : locks)
            names.append(nameOfLock(lock));
    }
    for (const QString &limit : spec.limits)
        names.append(nameOfLimit(limit));
    if (queueLimit)
        names.append(nameOfLimitOf(spec.queue));
    names.removeDuplicates(); // a lock may be asked for in both ways
    return names;
}

LockRequests::LockRequests(jobs::Cluster cluster, const jobs::JobSpec &spec, bool queueLimit)
{
    const auto addLocks = [&](const QStringList &names, bool shared) {
        for (const QString &name : names)
            add({nameOfLock(name), fenceVariable(name),
                 std::make_unique<HalfLock>(cluster.zk, cluster.layout.lock(name.toLatin1()), shared)});
    };
    const auto addPermit = [&](const QString &what, const QByteArray &name) {
        add({what, {}, std::make_unique<Permit>(cluster, name)});
    };
    addLocks(spec.locks, false); // who asks for both gets the stronger
    addLocks(spec.sharedLocks, true);
    for (const QString &name : spec.limits)
        addPermit(nameOfLimit(name), name.toLatin1());
    if (queueLimit)
        addPermit(nameOfLimitOf(spec.queue), jobs::Layout::limitOfQueue(spec.queue));
}

LockRequests::~LockRequests() = default;

void LockRequests::add(Request request)
{
    const bool known = std::any_of(m_all.begin(), m_all.end(), [&](const Request &other) {
        return other.lockable->path() == request.lockable->path();
    });
    if (!known)
        m_all.push_back(std::move(request));
}

const LockRequests::Request &LockRequests::at(const zk::Path &path) const
{
    return *std::find_if(m_all.begin(), m_all.end(),
                         [&](const Request &request) { return request.lockable->path() == path; });
}

async::Task<std::shared_ptr<const JobLocks>> LockRequests::acquire(QByteArray about,
                                                                   std::function<void(QString)> onTurn)
{
    std::vector<Lockable *> lockables;
    for (const Request &request : m_all)
        lockables.push_back(request.lockable.get());
    recipes::MultiLock locks(std::move(lockables));
    const auto tell = [&](const zk::Path &path) { onTurn(at(path).what); };
    recipes::MultiHold held = co_await locks.acquire(about, Owner(), tell);
    QList<QByteArray> environment;
    if (held.isHeld()) {
        const recipes::OuterOwner owner{held.locks().front().fence().session, about};
        environment.append(recipes::OwnersVariable + ('=' + recipes::encodeOwners({owner})));
    }
    for (const Request &request : m_all) {
        if (request.variable.isEmpty())
            continue;
        for (const Lock &lock : held.locks()) {
            if (lock.fence().path.parent() == request.lockable->path())
                environment.append(request.variable + '=' + lock.fence().token());
        }
    }
    auto holding = std::make_shared<JobLocks>(JobLocks{std::move(held), std::move(environment)});
    co_return std::shared_ptr<const JobLocks>(std::move(holding));
}

} // namespace drover::workers
