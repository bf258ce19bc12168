#include "app/commands/commands.h"
#include "app/context.h"
#include "app/units.h"
#include "recipes/leader_latch.h"
#include "recipes/line.h"
#include "recipes/persist.h"

namespace drover::app {

namespace {

using Kind = Column::Kind;

const QList<Column> Columns{
    {"master", "master"},
    {"joined_at", "candidate for", Kind::Time},
    {"standing_by", "standing by"},
    {"znode", "znode"},
    {"fence", "fencing token"},
    {"stats_at", "summary written", Kind::Time},
    {"running", "jobs running"},
    {"done", "final records kept"},
    {"history", "history"},
    {"history_backlog", "not in it yet", Kind::Number},
    {"history_error", "history fails"},
    {"history_failing_since", "history fails since", Kind::Time},
    {"history_lost", "never archived", Kind::Number},
    {"malformed", "malformed"},
};

void addArchive(QJsonObject &object, const jobs::ClusterStats::Archive &archive)
{
    object.insert(QStringLiteral("history"), archive.history);
    object.insert(QStringLiteral("history_backlog"), archive.backlog);
    if (!archive.error.isEmpty()) {
        object.insert(QStringLiteral("history_error"), archive.error);
        object.insert(QStringLiteral("history_failing_since"), formatTime(archive.failingSince));
    }
    if (archive.lost > 0)
        object.insert(QStringLiteral("history_lost"), archive.lost);
}

void addStats(QJsonObject &object, const QByteArray &data)
{
    try {
        const jobs::ClusterStats stats = jobs::ClusterStats::decode(data);
        object.insert(QStringLiteral("stats_at"), formatTime(stats.at));
        object.insert(QStringLiteral("running"), stats.running);
        object.insert(QStringLiteral("done"), stats.done);
        if (stats.archive)
            addArchive(object, *stats.archive);
    } catch (const jobs::Malformed &error) {
        object.insert(QStringLiteral("malformed"), QStringLiteral("stats: ") + QString::fromUtf8(error.what()));
    }
}

async::Task<int> execute(Context &context)
{
    zk::Coordinator *const zk = co_await context.openCluster();
    const jobs::Layout layout = context.layout();
    recipes::LeaderLatch latch(*zk, layout.master());
    const std::optional<recipes::Participant> leader = co_await latch.leader();
    if (!leader)
        throw jobs::NotFound(
            QStringLiteral("cluster %1 has no master, because it has no worker; start one: drover worker")
                .arg(QString::fromLatin1(context.settings().cluster)));
    const auto list = [&] { return zk->children(layout.master()); };
    const auto look = [&] { return zk->exists(leader->fence.path); };
    const auto read = [&] { return zk->get(layout.stats()); };
    const zk::Answer<zk::Children> candidates = co_await recipes::persist(*zk, list);
    const zk::Answer<zk::Stat> own = co_await recipes::persist(*zk, look);
    const zk::Answer<zk::Node> stats = co_await recipes::persist(*zk, read);

    QJsonObject object{
        {QStringLiteral("master"), QString::fromUtf8(leader->data)},
        {QStringLiteral("standing_by"), std::max<qint64>(0, recipes::inOrder(candidates->names).size() - 1)},
        {QStringLiteral("znode"), leader->fence.path.toString()},
        {QStringLiteral("fence"), QString::fromLatin1(leader->fence.token())},
    };
    if (own.ok())
        object.insert(QStringLiteral("joined_at"), formatTime(std::chrono::milliseconds(own->ctime)));
    if (stats.ok())
        addStats(object, stats->data);
    context.out().object(Columns, object);
    co_return ExitOk;
}

} // namespace

Command masterShow()
{
    return {.name = "master show", .synopsis = "[OPTIONS]", .summary = "Show which worker is master", .run = execute};
}

} // namespace drover::app
