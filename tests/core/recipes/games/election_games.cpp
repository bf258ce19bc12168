#include "async/or_timeout.h"
#include "core/recipes/games/game.h"
#include "recipes/leader_latch.h"
#include "recipes/leader_selector.h"
#include "recipes/log_election.h"
#include "recipes/master.h"

namespace drover::test {

using namespace std::chrono_literals;
using namespace recipes;
using async::Task;

namespace {

const zk::Path Place("/game/election");

// Stands, leads for a while and resigns, round after round; sometimes it does not wait for its turn.
class CampaignGame : public Game
{
public:
    Task<void> play(Player &player) override
    {
        for (; player.rounds > 0; --player.rounds) {
            co_await player.rest(100ms);
            const async::Duration limit = player.random.chance(0.3) ? player.some(500ms) : m_patience;
            try {
                const Leadership leadership = co_await async::orTimeout(player.loop, campaign(player), limit);
                co_await player.writeUnder(leadership.fence(), "a");
            } catch (const async::Timeout &) {
            }
        }
    }

protected:
    explicit CampaignGame(async::Duration patience = 10min) : m_patience(patience) { }

    virtual Task<Leadership> campaign(Player &player) = 0;

private:
    async::Duration m_patience;
};

class LatchGame final : public CampaignGame
{
    Task<Leadership> campaign(Player &player) override
    {
        LeaderLatch latch(*player.zk, Place);
        Leadership leadership = co_await latch.campaign(player.name());
        co_return leadership;
    }
};

class MasterGame final : public CampaignGame
{
    Task<Leadership> campaign(Player &player) override
    {
        Master master(*player.zk, Place / "master");
        Leadership leadership = co_await master.campaign(player.name());
        co_return leadership;
    }
};

// Needs a majority of its three candidates, so the last two of them may wait in vain.
class LogElectionGame final : public CampaignGame
{
public:
    LogElectionGame() : CampaignGame(20s) { }

private:
    Task<Leadership> campaign(Player &player) override
    {
        LogElection election(*player.zk, Place, 3);
        const auto number = [&player] { return player.held; };
        Leadership leadership = co_await election.campaign(player.name(), number);
        co_return leadership;
    }
};

// Told by a listener that it leads and that it does not, or may not.
class ParticipateGame final : public Game
{
public:
    Task<void> play(Player &player) override
    {
        LeaderLatch latch(*player.zk, Place);
        for (; player.rounds > 0; --player.rounds) {
            std::optional<Judge::Hold> hold;
            const auto listener = [&](Leadership *leadership) {
                player.judge.require(!leadership == hold.has_value(),
                                     QStringLiteral("the listener was told twice that it leads, or does not"));
                hold.reset();
                if (leadership) {
                    hold.emplace(player.judge, "election", leadership->fence());
                    ++player.held;
                }
            };
            try {
                co_await async::orTimeout(
                    player.loop, latch.participate(player.name(), listener, LeaderLatch::CloseMode::NotifyLeader),
                    player.some(8s));
            } catch (const async::Timeout &) {
            }
            co_await player.rest(500ms);
        }
    }
};

class SelectorGame final : public Game
{
public:
    Task<void> play(Player &player) override
    {
        LeaderSelector selector(*player.zk, Place);
        while (player.rounds > 0) {
            co_await player.rest(100ms);
            const auto lead = [&player](Leadership &leadership) { return player.writeUnder(leadership.fence(), "a"); };
            const bool ended = co_await selector.run(player.name(), lead);
            player.judge.require(!selector.leads(), QStringLiteral("the selector leads and its task has ended"));
            player.rounds -= ended ? 1 : 0;
        }
    }
};

} // namespace

std::vector<GameKind> electionGames()
{
    const QByteArrayList line = {"/game/election"};
    return {
        {.name = "LeaderLatch campaign", .make = makeGame<LatchGame>, .furniture = line, .fenced = true},
        {.name = "LeaderLatch participate", .make = makeGame<ParticipateGame>, .furniture = line},
        {.name = "LeaderSelector", .make = makeGame<SelectorGame>, .furniture = line},
        {.name = "Master",
         .make = makeGame<MasterGame>,
         .furniture = {"/game/election", "/game/election/master-epoch"}},
        {.name = "LogElection",
         .make = makeGame<LogElectionGame>,
         .furniture = {"/game/election", "/game/election/candidates", "/game/election/epoch"}},
    };
}

} // namespace drover::test
