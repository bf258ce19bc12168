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

const zk::Path Place("/workload/election");

// Stands, leads for a while and resigns, round after round; sometimes it does not wait for its turn.
class CampaignWorkload : public Workload
{
public:
    Task<void> run(Process &process) override
    {
        for (; process.rounds > 0; --process.rounds) {
            co_await process.rest(100ms);
            const async::Duration limit = process.random.chance(0.3) ? process.some(500ms) : m_patience;
            try {
                const Leadership leadership = co_await async::orTimeout(process.loop, campaign(process), limit);
                co_await lead(process, leadership.fence());
            } catch (const async::Timeout &) {
            }
        }
    }

protected:
    explicit CampaignWorkload(async::Duration patience = 10min) : m_patience(patience) { }

    virtual Task<Leadership> campaign(Process &process) = 0;
    virtual Task<void> lead(Process &process, Fence fence) { return process.writeUnder(std::move(fence), "a"); }

private:
    async::Duration m_patience;
};

class LatchWorkload final : public CampaignWorkload
{
    Task<Leadership> campaign(Process &process) override
    {
        LeaderLatch latch(*process.zk, Place);
        Leadership leadership = co_await latch.campaign(process.name());
        co_return leadership;
    }
};

class MasterWorkload final : public CampaignWorkload
{
    Task<Leadership> campaign(Process &process) override
    {
        Master master(*process.zk, Place / "master");
        Leadership leadership = co_await master.campaign(process.name());
        co_return leadership;
    }
};

// Needs a majority of its three candidates, so the last two of them may wait in vain.
class LogElectionWorkload final : public CampaignWorkload
{
public:
    LogElectionWorkload() : CampaignWorkload(20s) { }

private:
    Task<Leadership> campaign(Process &process) override
    {
        LogElection election(*process.zk, Place, 3);
        const auto number = [&process] { return process.held; };
        Leadership leadership = co_await election.campaign(process.name(), number);
        co_return leadership;
    }
};

// What the highest number is for: three replicas of a log, whose leader commits a record when one other has it too. The
// next leader has all committed records, even if some replicas stand still or are cut off meanwhile. A record's number
// begins with its leader's token, as it begins with the epoch in the paper.
class ReplicationWorkload final : public CampaignWorkload
{
public:
    ReplicationWorkload() : CampaignWorkload(20s) { }

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

    Task<Leadership> campaign(Process &process) override
    {
        LogElection election(*process.zk, Place, 3);
        const auto number = [this, &replica = replicaOf(process.number)] {
            replica.barred = m_newestLeader;
            return replica.last;
        };
        Leadership leadership = co_await election.campaign(process.name(), number);
        co_return leadership;
    }

    Task<void> lead(Process &process, Fence fence) override
    {
        ++process.held;
        const InvariantChecker::Hold hold(process.checker, "log", fence, *process.zk);
        process.checker.require(replicaOf(process.number).last >= m_committed,
                                QStringLiteral("a leader lacks what was committed"));
        for (int record = 1; record <= 3; ++record) {
            co_await process.rest(100ms);
            if (process.random.chance(0.1))
                process.loop.freezeFor(process.some(15s));
            co_await process.rest(50ms);
            const qint64 number = fence.czxid * RecordsOfALeader + record;
            const bool ours = append(process.number, fence.czxid, number);
            const bool others = append((process.number + 1 + process.random.below(2)) % 3, fence.czxid, number);
            if (ours && others)
                m_committed = std::max(m_committed, number);
            process.refused += !ours || !others;
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
class ParticipateWorkload final : public Workload
{
public:
    Task<void> run(Process &process) override
    {
        LeaderLatch latch(*process.zk, Place);
        for (; process.rounds > 0; --process.rounds) {
            std::optional<InvariantChecker::Hold> hold;
            const auto listener = [&](Leadership *leadership) {
                process.checker.require(!leadership == hold.has_value(),
                                        QStringLiteral("the listener got the same report twice in a row"));
                hold.reset();
                if (leadership) {
                    hold.emplace(process.checker, "election", leadership->fence(), *process.zk);
                    ++process.held;
                }
            };
            try {
                co_await async::orTimeout(
                    process.loop, latch.participate(process.name(), listener, LeaderLatch::CloseMode::NotifyLeader),
                    process.some(8s));
            } catch (const async::Timeout &) {
            }
            co_await process.rest(500ms);
        }
    }
};

class SelectorWorkload final : public Workload
{
public:
    Task<void> run(Process &process) override
    {
        LeaderSelector selector(*process.zk, Place);
        while (process.rounds > 0) {
            co_await process.rest(100ms);
            const auto lead = [&process](Leadership &leadership) {
                return process.writeUnder(leadership.fence(), "a");
            };
            const bool ended = co_await selector.run(process.name(), lead);
            process.checker.require(!selector.leads(), QStringLiteral("the selector leads and its task has ended"));
            process.rounds -= ended ? 1 : 0;
        }
    }
};

} // namespace

std::vector<WorkloadKind> electionWorkloads()
{
    const QByteArrayList line = {"/workload/election"};
    return {
        {.name = "LeaderLatch campaign", .make = makeWorkload<LatchWorkload>, .furniture = line, .fenced = true},
        {.name = "LeaderLatch participate", .make = makeWorkload<ParticipateWorkload>, .furniture = line},
        {.name = "LeaderSelector", .make = makeWorkload<SelectorWorkload>, .furniture = line},
        {.name = "Master",
         .make = makeWorkload<MasterWorkload>,
         .furniture = {"/workload/election", "/workload/election/master-epoch"}},
        {.name = "LogElection",
         .make = makeWorkload<LogElectionWorkload>,
         .furniture = {"/workload/election", "/workload/election/candidates", "/workload/election/epoch"}},
        {.name = "LogElection of a log",
         .make = makeWorkload<ReplicationWorkload>,
         .rounds = 4,
         .furniture = {"/workload/election", "/workload/election/candidates", "/workload/election/epoch"},
         .fenced = true},
        {.name = "LeaderLatch, undermined",
         .make = [] { return undermine<LatchWorkload>(Place); },
         .processes = 4,
         .furniture = line,
         .fenced = true},
        {.name = "LeaderSelector, undermined",
         .make = [] { return undermine<SelectorWorkload>(Place); },
         .processes = 4,
         .furniture = line},
    };
}

} // namespace drover::test
