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

const zk::Path Place("/game/lock");

// A lock that one has at a time: waited for, tried, given up while waiting, taken twice by one owner.
class ExclusiveGame : public Game
{
public:
    Task<void> play(Player &player) override
    {
        const std::unique_ptr<Lockable> lock = lockOf(*player.zk);
        for (; player.rounds > 0; --player.rounds) {
            co_await player.rest(100ms);
            co_await round(player, *lock);
        }
    }

protected:
    virtual std::unique_ptr<Lockable> lockOf(zk::Client &zk) const = 0;
    virtual Task<void> work(Player &player, Fence fence) { return player.writeUnder(std::move(fence), "a"); }

private:
    Task<void> round(Player &player, Lockable &lock)
    {
        if (player.random.chance(0.2)) {
            const std::optional<Lock> tried = co_await lock.tryAcquire();
            if (tried)
                co_await work(player, tried->fence());
            co_return;
        }
        const async::Duration limit = player.random.chance(0.3) ? player.some(500ms) : async::Duration(10min);
        try {
            const Owner owner;
            const Lock held = co_await async::orTimeout(player.loop, lock.acquire(player.name(), owner), limit);
            if (player.random.chance(0.3)) {
                const Lock again = co_await lock.acquire(QByteArray(), owner);
                player.judge.require(again.fence().path == held.fence().path,
                                     QStringLiteral("the owner's second acquire took another place"));
            }
            co_await work(player, held.fence());
        } catch (const async::Timeout &) {
        }
    }
};

class MutexGame final : public ExclusiveGame
{
    std::unique_ptr<Lockable> lockOf(zk::Client &zk) const override { return std::make_unique<Mutex>(zk, Place); }
};

class ZooKeeperMutexGame final : public ExclusiveGame
{
    std::unique_ptr<Lockable> lockOf(zk::Client &zk) const override
    {
        return std::make_unique<Mutex>(zk, Place, Mutex::zooKeeper());
    }
};

class SimpleLockGame final : public ExclusiveGame
{
    std::unique_ptr<Lockable> lockOf(zk::Client &zk) const override { return std::make_unique<SimpleLock>(zk, Place); }
};

// The broken variant: it asks its own memory instead of the server.
class UnfencedGame final : public ExclusiveGame
{
    std::unique_ptr<Lockable> lockOf(zk::Client &zk) const override { return std::make_unique<Mutex>(zk, Place); }
    Task<void> work(Player &player, Fence fence) override
    {
        if (player.random.chance(0.1))
            player.loop.freezeFor(player.some(15s));
        co_await player.rest(50ms);
        const zk::Answer<zk::Stat> set = co_await player.steady.set(Judge::resource("a"), fence.token());
        set.require();
    }
};

// Told by a listener, it leaves again from wherever it is in the line.
class WriteLockGame final : public Game
{
public:
    Task<void> play(Player &player) override
    {
        for (; player.rounds > 0; --player.rounds) {
            async::Event change;
            bool waited = true;
            const auto tell = [&change](std::exception_ptr) { change.set(); };
            WriteLock lock(*player.zk, Place, {[&change] { change.set(); }, tell});
            lock.lock(player.name());
            const async::Duration limit = player.random.chance(0.3) ? player.some(500ms) : async::Duration(10min);
            try {
                co_await async::orTimeout(player.loop, waitFor(change), limit);
            } catch (const async::Timeout &) {
                waited = false;
            }
            co_await player.rest(1ms); // out of the listener, in which the lock may not be destroyed
            if (lock.isOwner())
                co_await player.writeUnder(lock.fence(), "a");
            else if (waited)
                co_await player.zk->connected(); // it knows that the session is lost
            lock.unlock();
        }
    }

private:
    static Task<void> waitFor(async::Event &event) { co_await event.wait(); }
};

// Readers share, writers exclude, a writer goes on as a reader.
class ReadWriteGame final : public Game
{
    static constexpr int Room = 100; // a writer takes all of it

public:
    Task<void> play(Player &player) override
    {
        ReadWriteLock lock(*player.zk, Place);
        for (; player.rounds > 0; --player.rounds) {
            co_await player.rest(100ms);
            if (player.random.chance(0.6))
                co_await read(player, lock);
            else
                co_await write(player, lock);
        }
    }

private:
    static Task<void> read(Player &player, ReadWriteLock &lock)
    {
        const Lock held = co_await lock.reader().acquire();
        const Judge::Hold hold(player.judge, "line", held.fence(), {1, Room});
        ++player.held;
        co_await player.rest(300ms);
    }
    static Task<void> write(Player &player, ReadWriteLock &lock)
    {
        const Owner owner;
        Lock writing = co_await lock.writer().acquire(QByteArray(), owner);
        std::optional<Judge::Hold> hold;
        hold.emplace(player.judge, "line", writing.fence(), Judge::Hold::Share{Room, Room});
        co_await player.writeUnder(writing.fence(), "a");
        if (!player.random.chance(0.4))
            co_return;
        hold.reset();
        const Lock reading = co_await lock.reader().acquire(QByteArray(), owner);
        writing.release();
        const Judge::Hold on(player.judge, "line", reading.fence(), {1, Room});
        co_await player.rest(300ms);
    }
};

// Two of three locks, named in any order.
class MultiLockGame final : public Game
{
public:
    Task<void> play(Player &player) override
    {
        for (; player.rounds > 0; --player.rounds) {
            co_await player.rest(100ms);
            const int first = player.random.below(3);
            const int second = (first + 1 + player.random.below(2)) % 3;
            Mutex one(*player.zk, place(first));
            Mutex other(*player.zk, place(second));
            MultiLock both({&one, &other});
            const async::Duration limit = player.random.chance(0.3) ? player.some(500ms) : async::Duration(10min);
            try {
                const MultiHold held = co_await async::orTimeout(player.loop, both.acquire(), limit);
                co_await player.writeUnder(held.locks().front().fence(), name(std::min(first, second)));
                co_await player.writeUnder(held.locks().back().fence(), name(std::max(first, second)));
            } catch (const async::Timeout &) {
            }
        }
    }

private:
    static QByteArray name(int which) { return QByteArray(1, static_cast<char>('a' + which)); }
    static zk::Path place(int which) { return zk::Path("/game") / name(which); }
};

// A waiter asks the holder to let go. The holder does so when it notices, or after a while.
class RevocationGame final : public Game
{
public:
    Task<void> play(Player &player) override
    {
        for (; player.rounds > 0; --player.rounds) {
            co_await player.rest(100ms);
            Mutex lock(*player.zk, Place);
            async::TaskGroup asking([](const std::exception_ptr &) {}); // fails with the session, as all else does
            asking.spawn(askHolders(player, lock));
            const Lock held = co_await lock.acquire(player.name());
            asking.cancelAll();
            try {
                co_await async::orTimeout(player.loop, revocationAsked(*player.zk, held.fence()), player.some(10s));
                player.judge.require(m_asked.contains(held.fence().czxid),
                                     QStringLiteral("a holder was asked without a request"));
            } catch (const async::Timeout &) {
            }
            co_await player.writeUnder(held.fence(), "a");
        }
    }

private:
    Task<void> askHolders(Player &player, Mutex &lock)
    {
        for (;;) {
            co_await player.rest(1s);
            const std::vector<Participant> line = co_await lock.participants();
            if (line.empty())
                continue;
            m_asked.insert(line.front().fence.czxid);
            co_await askRevocation(*player.zk, line.front().fence.path);
        }
    }

    std::set<zk::Zxid> m_asked; // the holders' nodes
};

} // namespace

std::vector<GameKind> lockGames()
{
    const QByteArrayList line = {"/game/lock"};
    return {
        {.name = "SimpleLock", .make = makeGame<SimpleLockGame>, .furniture = {"/game/lock-epoch"}, .fenced = true},
        {.name = "Mutex", .make = makeGame<MutexGame>, .furniture = line, .fenced = true},
        {.name = "Mutex by session", .make = makeGame<ZooKeeperMutexGame>, .furniture = line, .fenced = true},
        {.name = "WriteLock", .make = makeGame<WriteLockGame>, .furniture = line, .fenced = true},
        {.name = "ReadWriteLock", .make = makeGame<ReadWriteGame>, .players = 4, .furniture = line, .fenced = true},
        {.name = "MultiLock",
         .make = makeGame<MultiLockGame>,
         .furniture = {"/game/a", "/game/b", "/game/c"},
         .fenced = true},
        {.name = "Mutex, asked to let go", .make = makeGame<RevocationGame>, .furniture = line, .fenced = true},
        {.name = "Mutex, undermined",
         .make = [] { return undermine<MutexGame>(Place); },
         .players = 4,
         .furniture = line,
         .fenced = true},
        {.name = "ReadWriteLock, undermined",
         .make = [] { return undermine<ReadWriteGame>(Place); },
         .players = 4,
         .furniture = line,
         .fenced = true},
    };
}

GameKind unfencedLock()
{
    return {.name = "a lock without fence", .make = makeGame<UnfencedGame>, .furniture = {"/game/lock"}};
}

} // namespace drover::test
