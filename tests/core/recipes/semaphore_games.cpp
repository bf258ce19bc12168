#include "async/or_timeout.h"
#include "core/recipes/undermined.h"
#include "recipes/locks/semaphore.h"
#include "recipes/values/counter.h"

namespace drover::test {

using namespace std::chrono_literals;
using namespace recipes;
using async::Task;

namespace {

const zk::Path Place("/game/semaphore");
const zk::Path Count("/game/count");

// Everybody takes one permit or two: waits, tries, or gives up while waiting.
class PermitGame : public Game
{
protected:
    // How many permits there were at most since a player began to ask.
    struct Asking {
        int most = 0;
    };

    Task<void> takeOnce(Player &player, Semaphore &semaphore, async::Duration patience)
    {
        const auto asking = std::make_shared<Asking>(Asking{m_permits});
        m_asking.push_back(asking);
        std::vector<Lease> leases = co_await take(player, semaphore, patience);
        std::vector<std::unique_ptr<Judge::Hold>> holds;
        for (const Lease &lease : leases)
            holds.push_back(std::make_unique<Judge::Hold>(player.judge, "permits", lease.fence(),
                                                          Judge::Hold::Share{1, asking->most}));
        if (leases.empty())
            co_return;
        ++player.held;
        co_await player.rest(300ms);
    }

    void setPermits(int permits)
    {
        m_permits = permits;
        std::erase_if(m_asking, [](const auto &asking) { return asking.expired(); });
        for (const auto &weak : m_asking)
            weak.lock()->most = std::max(weak.lock()->most, permits);
    }

private:
    static Task<std::vector<Lease>> take(Player &player, Semaphore &semaphore, async::Duration patience)
    {
        const int wanted = 1 + player.random.below(2);
        std::vector<Lease> leases;
        if (player.random.chance(0.2)) {
            std::optional<std::vector<Lease>> tried = co_await semaphore.tryAcquire(wanted);
            if (tried)
                leases = std::move(*tried);
            co_return leases;
        }
        const async::Duration limit = player.random.chance(0.3) ? player.some(500ms) : patience;
        try {
            leases = co_await async::orTimeout(player.loop, semaphore.acquire(wanted), limit);
        } catch (const async::Timeout &) {
        }
        co_return leases;
    }

    int m_permits = 0;
    std::vector<std::weak_ptr<Asking>> m_asking;
};

// Three, as all know.
class FixedPermitsGame final : public PermitGame
{
    static constexpr int Permits = 3;

public:
    FixedPermitsGame() { setPermits(Permits); }

    Task<void> play(Player &player) override
    {
        Semaphore semaphore(*player.zk, Place, Permits);
        for (; player.rounds > 0; --player.rounds) {
            co_await player.rest(100ms);
            co_await takeOnce(player, semaphore, 10min);
        }
    }
};

// One to four permits, as the first participant has written last. If it lowers the number, held leases stay. No player
// is admitted beyond the number that it may have read.
class SharedPermitsGame final : public PermitGame
{
public:
    Task<void> play(Player &player) override
    {
        Semaphore semaphore(*player.zk, Place, Count);
        SharedCount count(*player.zk, Count);
        co_await count.compareAndSet(0, 3); // unless there is a number
        for (; player.rounds > 0; --player.rounds) {
            co_await player.rest(100ms);
            if (player.number == 0)
                co_await count.set(1 + player.random.below(4));
            co_await takeOnce(player, semaphore, 5s); // two may be more than there will ever be
        }
    }

    void committed(const FakeTree &tree) override
    {
        const FakeTree::Znode *count = tree.find(Count);
        if (count && count->data.size() == 4)
            setPermits(count->data.at(3));
    }
};

} // namespace

std::vector<GameKind> semaphoreGames()
{
    const QByteArrayList furniture = {"/game/semaphore", "/game/semaphore/leases", "/game/semaphore/locks"};
    return {
        {.name = "Semaphore", .make = makeGame<FixedPermitsGame>, .players = 4, .furniture = furniture},
        {.name = "Semaphore of a shared number",
         .make = makeGame<SharedPermitsGame>,
         .players = 4,
         .furniture = furniture + QByteArrayList{"/game/count"}},
        {.name = "Semaphore, undermined",
         .make = [] { return undermine<FixedPermitsGame>(Place); },
         .players = 4,
         .furniture = furniture},
    };
}

} // namespace drover::test
