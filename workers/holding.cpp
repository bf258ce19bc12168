#include "workers/holding.h"

#include "jobs/limits.h"
#include "recipes/read_write_lock.h"
#include "recipes/semaphore.h"

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
    HalfLock(zk::Coordinator &zk, zk::Path path, bool shared) : m_lock(zk, std::move(path)), m_shared(shared) { }

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
    Permit(zk::Coordinator &zk, jobs::Layout layout, QByteArray name)
        : m_zk(zk), m_layout(std::move(layout)), m_name(std::move(name)), m_path(m_layout.limit(m_name)),
          m_semaphore(zk, m_path, m_layout.permits(m_name))
    {
    }

    const zk::Path &path() const override { return m_path; }
    async::Task<Lock> acquire(QByteArray about, Owner) override
    {
        co_await jobs::ensureLimit(m_zk, m_layout, m_name);
        std::vector<recipes::Lease> leases = co_await m_semaphore.acquire(1, about);
        co_return std::move(leases.front());
    }
    async::Task<std::optional<Lock>> tryAcquire(QByteArray about, Owner) override
    {
        co_await jobs::ensureLimit(m_zk, m_layout, m_name);
        std::optional<std::vector<recipes::Lease>> leases = co_await m_semaphore.tryAcquire(1, about);
        if (!leases)
            co_return std::nullopt;
        co_return std::move(leases->front());
    }

private:
    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
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

std::shared_ptr<const Holding> Holding::with(std::shared_ptr<const Holding> held, QList<QByteArray> environment,
                                             std::shared_ptr<const void> place)
{
    if (held)
        environment = held->environment + environment;
    return std::make_shared<const Holding>(
        Holding{recipes::MultiHold({}), std::move(environment), {std::move(held), std::move(place)}});
}

QStringList Holdables::namesFor(const jobs::JobSpec &spec, bool queueLimit)
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

Holdables::Holdables(zk::Coordinator &zk, const jobs::Layout &layout, const jobs::JobSpec &spec, bool queueLimit)
{
    const auto addLocks = [&](const QStringList &names, bool shared) {
        for (const QString &name : names)
            add({nameOfLock(name), fenceVariable(name),
                 std::make_unique<HalfLock>(zk, layout.lock(name.toLatin1()), shared)});
    };
    const auto addPermit = [&](const QString &what, const QByteArray &name) {
        add({what, {}, std::make_unique<Permit>(zk, layout, name)});
    };
    addLocks(spec.locks, false); // who asks for both gets the stronger
    addLocks(spec.sharedLocks, true);
    for (const QString &name : spec.limits)
        addPermit(nameOfLimit(name), name.toLatin1());
    if (queueLimit)
        addPermit(nameOfLimitOf(spec.queue), jobs::Layout::limitOfQueue(spec.queue));
}

Holdables::~Holdables() = default;

void Holdables::add(Holdable holdable)
{
    const bool known = std::any_of(m_all.begin(), m_all.end(), [&](const Holdable &other) {
        return other.lockable->path() == holdable.lockable->path();
    });
    if (!known)
        m_all.push_back(std::move(holdable));
}

const Holdables::Holdable &Holdables::at(const zk::Path &path) const
{
    return *std::find_if(m_all.begin(), m_all.end(),
                         [&](const Holdable &holdable) { return holdable.lockable->path() == path; });
}

async::Task<std::shared_ptr<const Holding>> Holdables::acquire(QByteArray about, std::function<void(QString)> onTurn)
{
    std::vector<Lockable *> lockables;
    for (const Holdable &holdable : m_all)
        lockables.push_back(holdable.lockable.get());
    recipes::MultiLock locks(std::move(lockables));
    const auto tell = [&](const zk::Path &path) { onTurn(at(path).what); };
    recipes::MultiHold held = co_await locks.acquire(about, Owner(), tell);
    QList<QByteArray> environment;
    for (const Holdable &holdable : m_all) {
        if (holdable.variable.isEmpty())
            continue;
        for (const Lock &lock : held.locks()) {
            if (lock.fence().path.parent() == holdable.lockable->path())
                environment.append(holdable.variable + '=' + lock.fence().token());
        }
    }
    auto holding = std::make_shared<Holding>(Holding{std::move(held), std::move(environment)});
    co_return std::shared_ptr<const Holding>(std::move(holding));
}

} // namespace drover::workers
