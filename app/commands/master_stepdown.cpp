#include "app/commands/commands.h"
#include "app/commands/no_master.h"
#include "app/context.h"
#include "app/failure.h"
#include "async/first_of.h"
#include "async/or_timeout.h"
#include "async/until_set.h"
#include "recipes/leader_latch.h"
#include "recipes/persist.h"

namespace drover::app {

namespace {

using namespace std::chrono_literals;
using recipes::Participant;

constexpr auto ForTheNext = 10s;

// Who leads once that is another election than the one that has ended.
async::Task<Participant> nextLeader(zk::Coordinator &zk, zk::Path directory, zk::Zxid ended)
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
    std::vector<async::Task<void>> parts;
    parts.push_back(latch.follow(onChange));
    parts.push_back(async::untilSet(elected));
    co_await async::firstOf(zk.loop(), std::move(parts));
    co_return *next;
}

// Whoever has a master's election node deleted has deposed it: every write of a master checks that node, so from this
// moment on ZooKeeper refuses whatever the old one still sends, even if it hangs. A lost reply is harmless: names of
// election nodes are never given out twice.
async::Task<int> execute(Context &context)
{
    zk::Coordinator *const zk = co_await context.openCluster();
    const jobs::Layout layout = context.layout();
    recipes::LeaderLatch latch(*zk, layout.master());
    const std::optional<Participant> leader = co_await latch.leader();
    if (!leader)
        throw noMaster(context);
    const auto depose = [&] { return zk->remove(leader->fence.path); };
    const zk::Answer<zk::Nothing> deposed = co_await recipes::persist(*zk, depose);
    if (!deposed.is(zk::Code::NoNode))
        deposed.require();
    const QString before = QString::fromUtf8(leader->data);
    std::optional<Participant> next;
    try {
        async::Task<Participant> election = nextLeader(*zk, layout.master(), leader->fence.czxid);
        next = co_await async::orTimeout(context.loop(), std::move(election), ForTheNext);
    } catch (const async::Timeout &) {
    }
    if (!next)
        throw CommandError(ExitWrongState,
                           QStringLiteral("%1 is no longer master, and nobody else stands for election; what waits for "
                                          "a master waits until a worker is there: drover worker ls")
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
            .synopsis = "[OPTIONS]",
            .summary = "Let the next in line be master",
            .details =
                "The master, even one that hangs, is deposed at once and stands again behind the others. Nothing is\n"
                "lost: whatever it had under way and not written the next one does. Prints who is master now.",
            .check = "drover master show",
            .run = execute};
}

} // namespace drover::app
