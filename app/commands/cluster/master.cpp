#include "app/cli/failure.h"
#include "app/cli/json_builder.h"
#include "app/cli/units.h"
#include "app/cluster/worker_rows.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "async/event.h"
#include "async/first_of.h"
#include "async/or_timeout.h"
#include "jobs/audit/audit_note.h"
#include "jobs/model/cluster_stats.h"
#include "recipes/blocks/persistent.h"
#include "recipes/elections/leader_latch.h"

namespace drover::app {

namespace {

using namespace std::chrono_literals;
using recipes::Participant;
using Kind = Column::Kind;

const QList<Column> Columns{
    {"master", "master"},
    {"master_since", "master for", Kind::Time},
    {"joined_at", "candidate for", Kind::Time},
    {"standing_by", "standing by"},
    {"in_line", "in line"},
    {"znode", "znode"},
    {"fence", "fencing token"},
    {"stats_at", "summary written", Kind::Time},
    {"claimed", "jobs claimed"},
    {"done", "final records kept"},
    {"history", "history"},
    {"history_backlog", "not in it yet", Kind::Number},
    {"history_error", "history fails"},
    {"history_failing_since", "history fails since", Kind::Time},
    {"history_lost", "never archived", Kind::Number},
    {"claims_paused_since", "no job claimed since", Kind::Time},
    {"troubles", "in trouble"},
    {"malformed", "malformed"},
};

void addArchive(QJsonObject &object, const jobs::ClusterStats::Archive &archive)
{
    object.insert(QStringLiteral("history"), archive.history);
    JsonBuilder builder(object);
    builder.known("history_backlog", archive.backlog);
    if (!archive.error.isEmpty()) {
        object.insert(QStringLiteral("history_error"), archive.error);
        object.insert(QStringLiteral("history_failing_since"), formatTime(archive.failingSince));
    }
    builder.count("history_lost", archive.lost);
    builder.time("claims_paused_since", archive.pausedSince);
}

// Of the master itself, or of the one before, while it is new.
void addStats(QJsonObject &object, const QByteArray &data, const QByteArray &master)
{
    try {
        const jobs::ClusterStats stats = jobs::ClusterStats::decode(data);
        if (stats.master.toUtf8() == master && stats.masterSince.count() > 0)
            object.insert(QStringLiteral("master_since"), formatTime(stats.masterSince));
        object.insert(QStringLiteral("stats_at"), formatTime(stats.at));
        object.insert(QStringLiteral("claimed"), stats.claimed);
        object.insert(QStringLiteral("done"), stats.done);
        if (stats.archive)
            addArchive(object, *stats.archive);
        QJsonArray troubles;
        for (const jobs::ClusterStats::Trouble &trouble : stats.troubles)
            troubles.append(trouble.subject);
        if (!troubles.isEmpty())
            object.insert(QStringLiteral("troubles"), troubles);
    } catch (const jobs::Malformed &error) {
        object.insert(QStringLiteral("malformed"), QStringLiteral("stats: ") + QString::fromUtf8(error.what()));
    }
}

async::Task<int> showMaster(Context &context)
{
    const jobs::Cluster cluster = co_await context.openCluster();
    recipes::LeaderLatch latch(cluster.zk, cluster.layout.master());
    const std::vector<recipes::Participant> candidates = co_await latch.participants();
    if (candidates.empty())
        throw noMaster(context.settings().cluster);
    const recipes::Participant &leader = candidates.front();
    const zk::Answer<zk::Stat> own = co_await recipes::Persistent(cluster.zk).exists(leader.fence.path);
    const zk::Answer<zk::Node> stats = co_await recipes::Persistent(cluster.zk).get(cluster.layout.stats());

    QJsonArray inLine;
    for (std::size_t i = 1; i < candidates.size(); ++i)
        inLine.append(QString::fromUtf8(candidates[i].data));
    QJsonObject object{
        {QStringLiteral("master"), QString::fromUtf8(leader.data)},
        {QStringLiteral("standing_by"), inLine.size()},
        {QStringLiteral("in_line"), inLine},
        {QStringLiteral("znode"), leader.fence.path.toString()},
        {QStringLiteral("fence"), QString::fromLatin1(leader.fence.token())},
    };
    if (own.ok())
        object.insert(QStringLiteral("joined_at"), formatTime(std::chrono::milliseconds(own->ctime)));
    if (stats.ok())
        addStats(object, stats->data, leader.data);
    context.out().object(Columns, object);
    co_return ExitOk;
}

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
async::Task<int> deposeMaster(Context &context)
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

Command masterShow()
{
    return {.name = "master show",
            .summary = "Show which worker is master, since when, and who is next",
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover master show"},
            .exits = {{"3", "there is no master"}},
            .run = showMaster};
}

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
            .run = deposeMaster};
}

} // namespace drover::app
