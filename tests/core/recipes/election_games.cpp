#include "async/or_timeout.h"
#include "core/recipes/undermined.h"
#include "recipes/elections/leader_latch.h"
#include "recipes/elections/leader_selector.h"
#include "recipes/elections/log_election.h"
#include "recipes/elections/master.h"

#include <array>

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
                co_await lead(player, leadership.fence());
            } catch (const async::Timeout &) {
            }
        }
    }

protected:
    explicit CampaignGame(async::Duration patience = 10min) : m_patience(patience) { }

    virtual Task<Leadership> campaign(Player &player) = 0;
    virtual Task<void> lead(Player &player, Fence fence) { return player.writeUnder(std::move(fence), "a"); }

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

// What the highest number is for: three replicas of a log, whose leader commits a record when one other has it too. The
// next leader has all committed records, even if some replicas stand still or are cut off meanwhile. A record's number
// begins with its leader's token, as it begins with the epoch in the paper.
class ReplicationGame final : public CampaignGame
{
public:
    ReplicationGame() : CampaignGame(20s) { }

    void committed(const FakeTree &tree) override
    {
        if (const FakeTree::Znode *leader = tree.find(Place / "leader"))
            m_newestLeader = std::max(m_newestLeader, leader->stat.czxid);
    }

private:
    struct Replica {
        qint64 last = 0; // the number of its last record
        zk::Zxid barred = 0; // it takes no record of this leader or of those before
    };
    static constexpr int RecordsOfALeader = 1000; // more than it has

    Task<Leadership> campaign(Player &player) override
    {
        LogElection election(*player.zk, Place, 3);
        const auto number = [this, &replica = replicaOf(player.number)] {
            replica.barred = m_newestLeader;
            return replica.last;
        };
        Leadership leadership = co_await election.campaign(player.name(), number);
        co_return leadership;
    }

    Task<void> lead(Player &player, Fence fence) override
    {
        ++player.held;
        player.judge.require(replicaOf(player.number).last >= m_committed,
                             QStringLiteral("a leader lacks what was committed"));
        for (int record = 1; record <= 3; ++record) {
            co_await player.rest(100ms);
            if (player.random.chance(0.1))
                player.loop.freezeFor(player.some(15s));
            co_await player.rest(50ms);
            const qint64 number = fence.czxid * RecordsOfALeader + record;
            const bool ours = append(player.number, fence.czxid, number);
            const bool others = append((player.number + 1 + player.random.below(2)) % 3, fence.czxid, number);
            if (ours && others)
                m_committed = std::max(m_committed, number);
            player.refused += !ours || !others;
        }
    }

    // Who has a later leader's record, or has stood for election since, takes none of an earlier one.
    bool append(int number, zk::Zxid leader, qint64 record)
    {
        Replica &replica = replicaOf(number);
        if (leader <= replica.barred || record < replica.last)
            return false;
        replica.last = record;
        return true;
    }
    Replica &replicaOf(int number) { return m_replicas[static_cast<std::size_t>(number)]; }

    std::array<Replica, 3> m_replicas;
    zk::Zxid m_newestLeader = 0;
    qint64 m_committed = 0;
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
                                     QStringLiteral("the listener got the same report twice in a row"));
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
        {.name = "LogElection of a log",
         .make = makeGame<ReplicationGame>,
         .rounds = 4,
         .furniture = {"/game/election", "/game/election/candidates", "/game/election/epoch"},
         .fenced = true},
        {.name = "LeaderLatch, undermined",
         .make = [] { return undermine<LatchGame>(Place); },
         .players = 4,
         .furniture = line,
         .fenced = true},
        {.name = "LeaderSelector, undermined",
         .make = [] { return undermine<SelectorGame>(Place); },
         .players = 4,
         .furniture = line},
    };
}

} // namespace drover::test
