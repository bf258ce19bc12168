#include "async/or_timeout.h"
#include "async/task_group.h"
#include "core/recipes/workload.h"
#include "recipes/barriers/barrier.h"
#include "recipes/barriers/double_barrier.h"
#include "recipes/blocks/each_session.h"
#include "recipes/elections/group.h"

#include <QScopeGuard>

namespace drover::test {

using namespace std::chrono_literals;
using namespace recipes;
using async::Task;

namespace {

const zk::Path Place("/workload/meeting");

// The first process opens and closes, and the others wait. A barrier that stays closed lets no process through.
class BarrierWorkload final : public Workload
{
public:
    Task<void> run(Process &process) override
    {
        Barrier barrier(*process.zk, Place);
        for (; process.rounds > 0; --process.rounds) {
            co_await process.rest(500ms);
            if (process.number == 0) {
                co_await barrier.close();
                co_await process.rest(1s);
                co_await barrier.open();
            } else {
                const qint64 before = m_open ? m_openings - 1 : m_openings;
                co_await barrier.wait();
                process.checker.require(m_openings > before, QStringLiteral("a process came through a closed barrier"));
            }
            ++process.held;
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
class DoubleBarrierWorkload final : public Workload
{
    static constexpr int Count = 2;

public:
    Task<void> run(Process &process) override
    {
        while (process.rounds > 0) {
            const zk::Path directory = Place / QByteArray::number(process.rounds--);
            co_await process.rest(100ms);
            DoubleBarrier barrier(*process.zk, directory, Count);
            try {
                BarrierEntry entry =
                    co_await async::orTimeout(process.loop, barrier.enter(process.name()), limit(process));
                process.checker.require(m_most[directory] >= Count,
                                        QStringLiteral("a process is in before the others came"));
                ++process.held;
                co_await process.rest(300ms);
                std::set<QByteArray> before = inside(directory);
                before.erase(entry.fence().path.name()); // its delete may be owed
                co_await async::orTimeout(process.loop, entry.leave(), limit(process));
                for (const QByteArray &name : inside(directory))
                    process.checker.require(!before.contains(name),
                                            QStringLiteral("a process is out before the others left"));
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
    static async::Duration limit(Process &process) { return process.random.chance(0.2) ? process.some(500ms) : 20s; }

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
class GroupWorkload : public Workload
{
public:
    Task<void> run(Process &process) override
    {
        Group group(*process.zk, Place, m_layout);
        std::set<zk::Path> present;
        const auto note = [&](const GroupEvent &event) {
            const bool was = present.contains(event.member.path);
            process.checker.require(was == (event.type != GroupEvent::Type::Joined),
                                    QStringLiteral("a member joined twice or left unseen"));
            if (event.type == GroupEvent::Type::Left)
                present.erase(event.member.path);
            else
                present.insert(event.member.path);
        };
        async::TaskGroup following([](const std::exception_ptr &) {}); // fails with the session, as all else does
        following.spawn(group.follow(note));
        for (; process.rounds > 0; --process.rounds) {
            co_await process.rest(100ms);
            co_await attend(process, group);
        }
    }

protected:
    explicit GroupWorkload(Group::Layout layout) : m_layout(layout) { }

private:
    Task<void> attend(Process &process, Group &group) const
    {
        const async::Duration limit = process.random.chance(0.2) ? process.some(20ms) : async::Duration(10min);
        try {
            // A cancelled join() may take the node of the next one of the same id and session along: see Group.
            const QByteArray id = process.name() + '.' + QByteArray::number(process.rounds);
            Membership membership = co_await async::orTimeout(process.loop, group.join(id), limit);
            const InvariantChecker::Hold hold(process.checker, id, membership.fence(), *process.zk);
            ++process.held;
            const std::vector<Member> members = co_await group.members();
            process.checker.require(idsOf(members).contains(id), QStringLiteral("a member does not find itself"));
            if (m_layout == Group::Layout::GroupMember) {
                const bool set = co_await membership.setData("data");
                process.checker.require(set, QStringLiteral("a member's own data cannot be set"));
            }
            co_await process.rest(300ms);
        } catch (const async::Timeout &) {
        }
    }

    const Group::Layout m_layout;
};

class MemberWorkload final : public GroupWorkload
{
public:
    MemberWorkload() : GroupWorkload(Group::Layout::GroupMember) { }
};

class PartyWorkload final : public GroupWorkload
{
public:
    PartyWorkload() : GroupWorkload(Group::Layout::Party) { }
};

// Stays in a group through one session after the other, or waits for what no session tells. The schedule runs every
// workload with forEachSession(); this one also uses whileAlive(), because a wait for a timer does not fail by itself.
class EachSessionWorkload final : public Workload
{
public:
    Task<void> run(Process &process) override
    {
        while (process.rounds > 0)
            co_await whileAlive(*process.zk, attend(process));
    }

private:
    Task<void> attend(Process &process)
    {
        int &running = m_running[process.number];
        process.checker.require(++running == 1, QStringLiteral("the body of an earlier session still runs"));
        const auto left = qScopeGuard([&running] { --running; });
        const async::TimePoint until = process.loop.now() + process.some(20s);
        while (process.loop.now() < until) {
            co_await async::sleepFor(process.loop, 100ms);
            noteLoss(process);
        }
        Group group(*process.zk, Place);
        try {
            co_await async::orTimeout(process.loop, group.stay(process.name(), "data"), process.some(5s));
        } catch (const async::Timeout &) {
        }
        ++process.held;
        --process.rounds;
    }

    // A body may run on for the turn of the loop in which its session ended, and no longer.
    void noteLoss(const Process &process)
    {
        if (process.zk->state() != zk::Client::State::Lost)
            return;
        const zk::Client *&lost = m_lost[process.number];
        process.checker.require(lost != process.zk, QStringLiteral("a body runs on after the end of its session"));
        lost = process.zk;
    }

    std::map<int, int> m_running; // bodies of each process
    std::map<int, const zk::Client *> m_lost; // the session that each process has seen to be lost
};

} // namespace

std::vector<WorkloadKind> meetingWorkloads()
{
    QByteArrayList rounds = {"/workload/meeting"};
    for (const char *round : {"1", "2", "3"}) {
        rounds.push_back(QByteArray("/workload/meeting/") + round);
        rounds.push_back(rounds.back() + "/ready"); // left by processes whose session expired inside
    }
    return {
        {.name = "Barrier", .make = makeWorkload<BarrierWorkload>},
        {.name = "DoubleBarrier", .make = makeWorkload<DoubleBarrierWorkload>, .furniture = rounds},
        {.name = "Group", .make = makeWorkload<MemberWorkload>, .furniture = {"/workload/meeting"}},
        {.name = "Group, stay in each session",
         .make = makeWorkload<EachSessionWorkload>,
         .furniture = {"/workload/meeting"}},
        {.name = "Group as kazoo's Party", .make = makeWorkload<PartyWorkload>, .furniture = {"/workload/meeting"}},
    };
}

} // namespace drover::test
