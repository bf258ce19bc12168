#include "app/cli/json_builder.h"
#include "app/cli/units.h"
#include "app/cluster/worker_rows.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "jobs/model/cluster_stats.h"
#include "recipes/blocks/persistent.h"
#include "recipes/elections/leader_latch.h"

namespace drover::app {

namespace {

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

async::Task<int> execute(Context &context)
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

} // namespace

Command masterShow()
{
    return {.name = "master show",
            .summary = "Show which worker is master, since when, and who is next",
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover master show"},
            .exits = {{"3", "there is no master"}},
            .run = execute};
}

} // namespace drover::app
