#include "app/cli/failure.h"
#include "app/cluster/worker_rows.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "async/event.h"
#include "async/first_of.h"
#include "async/or_timeout.h"
#include "jobs/audit/audit_note.h"
#include "recipes/elections/leader_latch.h"

namespace drover::app {

namespace {

using namespace std::chrono_literals;
using recipes::Participant;

constexpr auto ForTheNext = 10s;

// Who leads once that is another election than the one that has ended.
async::Task<Participant> nextLeader(zk::Client &zk, zk::Path directory, zk::Zxid ended)
{
    recipes::LeaderLatch latch(zk, std::move(directory));
    std::optional<Participant> next;
    async::Event elected;
    const auto onChange = [&](const std::optional<Participant> &leader) {
        if (!leader || leader->fence.czxid == ended)
            return; // also when the one that was elected has gone again before the wait ends
        next = leader;
        elected.set();
    };
    co_await async::firstOf(zk.loop(), latch.follow(onChange), async::untilSet(elected));
    co_return *next;
}

// Deleting a master's election node deposes the master: every write of a master checks that node, so from this
// moment on ZooKeeper refuses whatever the old one still sends, even if it hangs. A lost reply is harmless: names of
// election nodes are never given out twice.
async::Task<int> execute(Context &context)
{
    const jobs::Cluster cluster = co_await context.openCluster();
    recipes::LeaderLatch latch(cluster.zk, cluster.layout.master());
    const std::optional<Participant> leader = co_await latch.leader();
    if (!leader)
        throw noMaster(context.settings().cluster);
    const QString before = QString::fromUtf8(leader->data);
    zk::Transaction depose;
    depose.remove(leader->fence.path);
    const jobs::AuditNote note(cluster, jobs::AuditAction::MasterDeposed, before);
    const zk::Answer<zk::Committed> deposed = co_await jobs::commitNoted(cluster, depose, note);
    deposed.requireUnless(zk::Code::NoNode);
    std::optional<Participant> next;
    try {
        async::Task<Participant> election = nextLeader(cluster.zk, cluster.layout.master(), leader->fence.czxid);
        next = co_await async::orTimeout(context.loop(), std::move(election), ForTheNext);
    } catch (const async::Timeout &) {
    }
    if (!next)
        throw CommandError(ExitWrongState,
                           QStringLiteral("%1 is no longer master, and there is no other candidate; the master's "
                                          "duties wait until a worker joins: drover worker ls")
                               .arg(before));
    const QString now = QString::fromUtf8(next->data);
    if (now == before)
        Output::message(QStringLiteral("%1 is the only candidate and was elected again").arg(now));
    context.out().object({{"master", "master"}, {"was", "was"}},
                         {{QStringLiteral("master"), now}, {QStringLiteral("was"), before}});
    co_return ExitOk;
}

} // namespace

Command masterStepdown()
{
    return {.name = "master stepdown",
            .summary = "Let the next in line be master",
            .details =
                "The master, even one that hangs, is deposed at once and stands again behind the others. Nothing is "
                "lost: whatever it had under way and not written the next one does. Prints who is master now.",
            .needs = {{trust::Role::Operate}},
            .check = "drover master show",
            .examples = {"drover master stepdown"},
            .exits = {{"3", "there is no master"}, {"4", "no worker became master in time"}},
            .run = execute};
}

} // namespace drover::app
