#include "async/or_timeout.h"
#include "async/task_group.h"
#include "core/recipes/game.h"
#include "recipes/barriers/barrier.h"
#include "recipes/barriers/double_barrier.h"
#include "recipes/elections/group.h"

namespace drover::test {

using namespace std::chrono_literals;
using namespace recipes;
using async::Task;

namespace {

const zk::Path Place("/game/meeting");

// The first player opens and closes, and the others wait. A barrier that stays closed lets no player through.
class BarrierGame final : public Game
{
public:
    Task<void> play(Player &player) override
    {
        Barrier barrier(*player.zk, Place);
        for (; player.rounds > 0; --player.rounds) {
            co_await player.rest(500ms);
            if (player.number == 0) {
                co_await barrier.close();
                co_await player.rest(1s);
                co_await barrier.open();
            } else {
                const qint64 before = m_open ? m_openings - 1 : m_openings;
                co_await barrier.wait();
                player.judge.require(m_openings > before, QStringLiteral("a player came through a closed barrier"));
            }
            ++player.held;
        }
    }

    void committed(const FakeTree &tree) override
    {
        const bool open = !tree.find(Place);
        m_openings += open && !m_open;
        m_open = open;
    }

private:
    bool m_open = true;
    qint64 m_openings = 1;
};

// Each round has a directory. Some give up before the others have come, or before they have gone.
class DoubleBarrierGame final : public Game
{
    static constexpr int Count = 2;

public:
    Task<void> play(Player &player) override
    {
        while (player.rounds > 0) {
            const zk::Path directory = Place / QByteArray::number(player.rounds--);
            co_await player.rest(100ms);
            DoubleBarrier barrier(*player.zk, directory, Count);
            try {
                BarrierEntry entry =
                    co_await async::orTimeout(player.loop, barrier.enter(player.name()), limit(player));
                player.judge.require(m_most[directory] >= Count,
                                     QStringLiteral("a player is in before the others came"));
                ++player.held;
                co_await player.rest(300ms);
                std::set<QByteArray> before = inside(directory);
                before.erase(entry.fence().path.name()); // its delete may be owed
                co_await async::orTimeout(player.loop, entry.leave(), limit(player));
                for (const QByteArray &name : inside(directory))
                    player.judge.require(!before.contains(name),
                                         QStringLiteral("a player is out before the others left"));
            } catch (const async::Timeout &) {
            }
        }
    }

    void committed(const FakeTree &tree) override
    {
        m_tree = &tree;
        const FakeTree::Znode *meeting = tree.find(Place);
        if (!meeting)
            return;
        for (const QByteArray &round : meeting->children)
            m_most[Place / round] = std::max(m_most[Place / round], inside(Place / round).size());
    }

private:
    static async::Duration limit(Player &player) { return player.random.chance(0.2) ? player.some(500ms) : 20s; }

    std::set<QByteArray> inside(const zk::Path &directory) const
    {
        const FakeTree::Znode *node = m_tree->find(directory);
        std::set<QByteArray> names = node ? node->children : std::set<QByteArray>();
        names.erase("ready");
        return names;
    }

    const FakeTree *m_tree = nullptr;
    std::map<zk::Path, std::size_t> m_most; // that were inside at one time
};

// Joins, sees itself, changes its data, leaves; follows the others, whose coming and going has to make sense.
class GroupGame : public Game
{
public:
    Task<void> play(Player &player) override
    {
        Group group(*player.zk, Place, m_layout);
        std::set<zk::Path> present;
        const auto note = [&](const GroupEvent &event) {
            const bool was = present.contains(event.member.path);
            player.judge.require(was == (event.type != GroupEvent::Type::Joined),
                                 QStringLiteral("a member joined twice or left unseen"));
            if (event.type == GroupEvent::Type::Left)
                present.erase(event.member.path);
            else
                present.insert(event.member.path);
        };
        async::TaskGroup following([](const std::exception_ptr &) {}); // fails with the session, as all else does
        following.spawn(group.follow(note));
        for (; player.rounds > 0; --player.rounds) {
            co_await player.rest(100ms);
            co_await attend(player, group);
        }
    }

protected:
    explicit GroupGame(Group::Layout layout) : m_layout(layout) { }

private:
    Task<void> attend(Player &player, Group &group) const
    {
        const async::Duration limit = player.random.chance(0.2) ? player.some(20ms) : async::Duration(10min);
        try {
            // A cancelled join() may take the node of the next one of the same id and session along: see Group.
            const QByteArray id = player.name() + '.' + QByteArray::number(player.rounds);
            Membership membership = co_await async::orTimeout(player.loop, group.join(id), limit);
            const Judge::Hold hold(player.judge, id, membership.fence());
            ++player.held;
            const std::vector<Member> members = co_await group.members();
            player.judge.require(idsOf(members).contains(id), QStringLiteral("a member does not find itself"));
            if (m_layout == Group::Layout::GroupMember) {
                const bool set = co_await membership.setData("data");
                player.judge.require(set, QStringLiteral("a member's own data cannot be set"));
            }
            co_await player.rest(300ms);
        } catch (const async::Timeout &) {
        }
    }

    const Group::Layout m_layout;
};

class MemberGame final : public GroupGame
{
public:
    MemberGame() : GroupGame(Group::Layout::GroupMember) { }
};

class PartyGame final : public GroupGame
{
public:
    PartyGame() : GroupGame(Group::Layout::Party) { }
};

} // namespace

std::vector<GameKind> meetingGames()
{
    QByteArrayList rounds = {"/game/meeting"};
    for (const char *round : {"1", "2", "3"}) {
        rounds.push_back(QByteArray("/game/meeting/") + round);
        rounds.push_back(rounds.back() + "/ready"); // left by players whose session expired inside
    }
    return {
        {.name = "Barrier", .make = makeGame<BarrierGame>},
        {.name = "DoubleBarrier", .make = makeGame<DoubleBarrierGame>, .furniture = rounds},
        {.name = "Group", .make = makeGame<MemberGame>, .furniture = {"/game/meeting"}},
        {.name = "Group as kazoo's Party", .make = makeGame<PartyGame>, .furniture = {"/game/meeting"}},
    };
}

} // namespace drover::test
