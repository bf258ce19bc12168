#include "async/or_timeout.h"
#include "async/task_group.h"
#include "core/recipes/undermined.h"
#include "recipes/blocks/participants.h"
#include "recipes/locks/multi_lock.h"
#include "recipes/locks/mutex.h"
#include "recipes/locks/read_write_lock.h"
#include "recipes/locks/revocation.h"
#include "recipes/locks/simple_lock.h"
#include "recipes/locks/write_lock.h"

#include <memory>
#include <set>

namespace drover::test {

using namespace std::chrono_literals;
using namespace recipes;
using async::Task;

namespace {

const zk::Path Place("/workload/lock");

// A lock that one has at a time: waited for, tried, given up while waiting, taken twice by one owner.
class ExclusiveWorkload : public Workload
{
public:
    Task<void> run(Process &process) override
    {
        const std::unique_ptr<Lockable> lock = lockOf(*process.zk);
        for (; process.rounds > 0; --process.rounds) {
            co_await process.rest(100ms);
            co_await round(process, *lock);
        }
    }

protected:
    virtual std::unique_ptr<Lockable> lockOf(zk::Client &zk) const = 0;
    virtual Task<void> work(Process &process, Fence fence) { return process.writeUnder(std::move(fence), "a"); }

private:
    Task<void> round(Process &process, Lockable &lock)
    {
        if (process.random.chance(0.2)) {
            const std::optional<Lock> tried = co_await lock.tryAcquire();
            if (tried)
                co_await work(process, tried->fence());
            co_return;
        }
        const async::Duration limit = process.random.chance(0.3) ? process.some(500ms) : async::Duration(10min);
        try {
            const Owner owner;
            const Lock held = co_await async::orTimeout(process.loop, lock.acquire(process.name(), owner), limit);
            if (process.random.chance(0.3)) {
                const Lock again = co_await lock.acquire(QByteArray(), owner);
                process.checker.require(again.fence().path == held.fence().path,
                                        QStringLiteral("the owner's second acquire took another place"));
            }
            co_await work(process, held.fence());
        } catch (const async::Timeout &) {
        }
    }
};

class MutexWorkload final : public ExclusiveWorkload
{
    std::unique_ptr<Lockable> lockOf(zk::Client &zk) const override { return std::make_unique<Mutex>(zk, Place); }
};

class ZooKeeperMutexWorkload final : public ExclusiveWorkload
{
    std::unique_ptr<Lockable> lockOf(zk::Client &zk) const override
    {
        return std::make_unique<Mutex>(zk, Place, Mutex::zooKeeper());
    }
};

class SimpleLockWorkload final : public ExclusiveWorkload
{
    std::unique_ptr<Lockable> lockOf(zk::Client &zk) const override { return std::make_unique<SimpleLock>(zk, Place); }
};

// The broken variant: it asks its own memory instead of the server.
class UnfencedWorkload final : public ExclusiveWorkload
{
    std::unique_ptr<Lockable> lockOf(zk::Client &zk) const override { return std::make_unique<Mutex>(zk, Place); }
    Task<void> work(Process &process, Fence fence) override
    {
        if (process.random.chance(0.1))
            process.loop.freezeFor(process.some(15s));
        co_await process.rest(50ms);
        const zk::Answer<zk::Stat> set = co_await process.steady.set(InvariantChecker::resource("a"), fence.token());
        set.require();
    }
};

// The broken variant: it deletes its node and works on.
class EarlyReleaseWorkload final : public ExclusiveWorkload
{
    std::unique_ptr<Lockable> lockOf(zk::Client &zk) const override { return std::make_unique<Mutex>(zk, Place); }
    Task<void> work(Process &process, Fence fence) override
    {
        const InvariantChecker::Hold hold(process.checker, "a", fence, *process.zk);
        process.zk->discard(fence.path);
        co_await process.rest(300ms);
    }
};

// The broken variant: a place in the line is enough for it.
class ImpatientWorkload final : public Workload
{
public:
    Task<void> run(Process &process) override
    {
        for (; process.rounds > 0; --process.rounds) {
            co_await process.rest(100ms);
            const Ticket::Taken taken = co_await Ticket::take(*process.zk, Place, "lock-", process.name());
            co_await process.writeUnder(taken.ticket.fence(), "a");
        }
    }
};

// Told by a listener, it leaves again from wherever it is in the line.
class WriteLockWorkload final : public Workload
{
public:
    Task<void> run(Process &process) override
    {
        for (; process.rounds > 0; --process.rounds) {
            async::Event change;
            bool waited = true;
            const auto tell = [&change](std::exception_ptr) { change.set(); };
            WriteLock lock(*process.zk, Place, {[&change] { change.set(); }, tell});
            lock.lock(process.name());
            const async::Duration limit = process.random.chance(0.3) ? process.some(500ms) : async::Duration(10min);
            try {
                co_await async::orTimeout(process.loop, waitFor(change), limit);
            } catch (const async::Timeout &) {
                waited = false;
            }
            co_await process.rest(1ms); // out of the listener, in which the lock may not be destroyed
            if (lock.isOwner())
                co_await process.writeUnder(lock.fence(), "a");
            else if (waited)
                co_await process.zk->connected(); // it knows that the session is lost
            lock.unlock();
        }
    }

private:
    static Task<void> waitFor(async::Event &event) { co_await event.wait(); }
};

// Readers share, writers exclude, a writer goes on as a reader.
class ReadWriteWorkload final : public Workload
{
    static constexpr int Room = 100; // a writer takes all of it

public:
    Task<void> run(Process &process) override
    {
        ReadWriteLock lock(*process.zk, Place);
        for (; process.rounds > 0; --process.rounds) {
            co_await process.rest(100ms);
            if (process.random.chance(0.6))
                co_await read(process, lock);
            else
                co_await write(process, lock);
        }
    }

private:
    static Task<void> read(Process &process, ReadWriteLock &lock)
    {
        const Lock held = co_await lock.reader().acquire();
        const InvariantChecker::Hold hold(process.checker, "line", held.fence(), *process.zk, {1, Room});
        ++process.held;
        co_await process.rest(300ms);
    }
    static Task<void> write(Process &process, ReadWriteLock &lock)
    {
        const Owner owner;
        Lock writing = co_await lock.writer().acquire(QByteArray(), owner);
        std::optional<InvariantChecker::Hold> hold;
        hold.emplace(process.checker, "line", writing.fence(), *process.zk, InvariantChecker::Hold::Share{Room, Room});
        co_await process.writeUnder(writing.fence(), "a");
        if (!process.random.chance(0.4))
            co_return;
        hold.reset();
        const Lock reading = co_await lock.reader().acquire(QByteArray(), owner);
        writing.release();
        const InvariantChecker::Hold on(process.checker, "line", reading.fence(), *process.zk, {1, Room});
        co_await process.rest(300ms);
    }
};

// Two of three locks, named in any order.
class MultiLockWorkload final : public Workload
{
public:
    Task<void> run(Process &process) override
    {
        for (; process.rounds > 0; --process.rounds) {
            co_await process.rest(100ms);
            const int first = process.random.below(3);
            const int second = (first + 1 + process.random.below(2)) % 3;
            Mutex one(*process.zk, place(first));
            Mutex other(*process.zk, place(second));
            MultiLock both({&one, &other});
            const async::Duration limit = process.random.chance(0.3) ? process.some(500ms) : async::Duration(10min);
            try {
                const MultiHold held = co_await async::orTimeout(process.loop, both.acquire(), limit);
                co_await process.writeUnder(held.locks().front().fence(), name(std::min(first, second)));
                co_await process.writeUnder(held.locks().back().fence(), name(std::max(first, second)));
            } catch (const async::Timeout &) {
            }
        }
    }

private:
    static QByteArray name(int which) { return QByteArray(1, static_cast<char>('a' + which)); }
    static zk::Path place(int which) { return zk::Path("/workload") / name(which); }
};

// A waiter asks the holder to let go. The holder does so when it notices, or after a while.
class RevocationWorkload final : public Workload
{
public:
    Task<void> run(Process &process) override
    {
        for (; process.rounds > 0; --process.rounds) {
            co_await process.rest(100ms);
            Mutex lock(*process.zk, Place);
            async::TaskGroup asking([](const std::exception_ptr &) {}); // fails with the session, as all else does
            asking.spawn(askHolders(process, lock));
            const Lock held = co_await lock.acquire(process.name());
            asking.cancelAll();
            try {
                co_await async::orTimeout(process.loop, revocationAsked(*process.zk, held.fence()), process.some(10s));
                process.checker.require(m_asked.contains(held.fence().czxid),
                                        QStringLiteral("a holder was asked without a request"));
            } catch (const async::Timeout &) {
            }
            co_await process.writeUnder(held.fence(), "a");
        }
    }

private:
    Task<void> askHolders(Process &process, Mutex &lock)
    {
        for (;;) {
            co_await process.rest(1s);
            const std::vector<Participant> line = co_await lock.participants();
            if (line.empty())
                continue;
            m_asked.insert(line.front().fence.czxid);
            co_await askRevocation(*process.zk, line.front().fence.path);
        }
    }

    std::set<zk::Zxid> m_asked; // the holders' nodes
};

} // namespace

std::vector<WorkloadKind> lockWorkloads()
{
    const QByteArrayList line = {"/workload/lock"};
    return {
        {.name = "SimpleLock",
         .make = makeWorkload<SimpleLockWorkload>,
         .furniture = {"/workload/lock-epoch"},
         .fenced = true},
        {.name = "Mutex", .make = makeWorkload<MutexWorkload>, .furniture = line, .fenced = true},
        {.name = "Mutex by session", .make = makeWorkload<ZooKeeperMutexWorkload>, .furniture = line, .fenced = true},
        {.name = "WriteLock", .make = makeWorkload<WriteLockWorkload>, .furniture = line, .fenced = true},
        {.name = "ReadWriteLock",
         .make = makeWorkload<ReadWriteWorkload>,
         .processes = 4,
         .furniture = line,
         .fenced = true},
        {.name = "MultiLock",
         .make = makeWorkload<MultiLockWorkload>,
         .furniture = {"/workload/a", "/workload/b", "/workload/c"},
         .fenced = true},
        {.name = "Mutex, asked to let go", .make = makeWorkload<RevocationWorkload>, .furniture = line, .fenced = true},
        {.name = "Mutex, undermined",
         .make = [] { return undermine<MutexWorkload>(Place); },
         .processes = 4,
         .furniture = line,
         .fenced = true},
        {.name = "ReadWriteLock, undermined",
         .make = [] { return undermine<ReadWriteWorkload>(Place); },
         .processes = 4,
         .furniture = line,
         .fenced = true},
    };
}

WorkloadKind unfencedLock()
{
    return {.name = "a lock without fence", .make = makeWorkload<UnfencedWorkload>, .furniture = {"/workload/lock"}};
}

WorkloadKind earlyRelease()
{
    return {.name = "early release", .make = makeWorkload<EarlyReleaseWorkload>, .furniture = {"/workload/lock"}};
}

WorkloadKind lockWithoutWaiting()
{
    return {.name = "no waiting", .make = makeWorkload<ImpatientWorkload>, .furniture = {"/workload/lock"}};
}

} // namespace drover::test
