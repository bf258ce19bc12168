#include "app/cluster/worker_rows.h"

#include "app/cli/failure.h"
#include "app/cli/json_builder.h"
#include "app/cli/units.h"
#include "jobs/cluster/cordon.h"
#include "jobs/cluster/members.h"
#include "recipes/elections/leader_latch.h"
#include "text/name.h"

#include <map>

namespace drover::app {

namespace {

// What one worker has claimed.
struct Load {
    QJsonArray running;
    QJsonArray waiting; // there, for a lock or for room
    int slotsUsed = 0;
};
using Loads = std::map<QString, Load>;

async::Task<Loads> readLoads(jobs::Cluster cluster)
{
    const std::vector<jobs::StoredClaim> claims = co_await jobs::readClaims(cluster);
    Loads loads;
    for (const jobs::StoredClaim &stored : claims) {
        Load &load = loads[stored.claim.worker];
        (stored.runs() ? load.running : load.waiting).append(stored.id.toString());
        load.slotsUsed += stored.runs() ? stored.claim.slotCount : 0;
    }
    co_return loads;
}

QJsonObject rowOf(const jobs::StoredMember &member)
{
    QJsonObject row{{QStringLiteral("worker"), QString::fromUtf8(member.id)}};
    if (member.info) {
        const jobs::WorkerInfo &info = *member.info;
        JsonBuilder builder(row);
        builder.set("host", info.host);
        builder.set("pid", info.pid);
        builder.set("slots", info.slotCount);
        builder.set("memory", info.memory);
        builder.text("trouble", info.trouble);
        builder.set("labels", QJsonArray::fromStringList(info.labels));
        builder.set("queues", QJsonArray::fromStringList(info.queues));
        builder.set("spool", info.spool);
        builder.text("output_address", info.endpoint);
        builder.set("started_at", formatTime(info.startedAt));
        builder.set("drover_version", info.version);
        builder.set("as_root", info.asRoot);
    } else {
        row.insert(QStringLiteral("malformed"), member.malformed);
        row.insert(QStringLiteral("host"), QStringLiteral("(malformed)"));
    }
    return row;
}

void addState(QJsonObject &row, const std::optional<jobs::Cordon> &cordon)
{
    const bool malformed = row.contains(QStringLiteral("malformed"));
    const bool troubled = row.contains(QStringLiteral("trouble"));
    row.insert(QStringLiteral("state"),
               malformed      ? QStringLiteral("malformed")
                   : cordon   ? QStringLiteral("cordoned")
                   : troubled ? QStringLiteral("troubled")
                              : QStringLiteral("ready"));
    if (!cordon)
        return;
    row.insert(QStringLiteral("cordoned_by"), cordon->by);
    row.insert(QStringLiteral("cordoned_why"), cordon->why);
    row.insert(QStringLiteral("cordoned_at"), formatTime(cordon->at));
}

} // namespace

async::Task<QList<QJsonObject>> workerRows(jobs::Cluster cluster)
{
    recipes::LeaderLatch latch(cluster.zk, cluster.layout.master());
    const std::vector<jobs::StoredMember> present = co_await jobs::readMembers(cluster);
    const std::optional<recipes::Participant> leader = co_await latch.leader();
    Loads loads = co_await readLoads(cluster);
    QList<QJsonObject> rows;
    for (const jobs::StoredMember &member : present) {
        QJsonObject row = rowOf(member);
        const Load &load = loads[QString::fromUtf8(member.id)];
        row.insert(QStringLiteral("running"), load.running.size());
        row.insert(QStringLiteral("slots_used"), load.slotsUsed);
        row.insert(QStringLiteral("running_jobs"), load.running);
        row.insert(QStringLiteral("waiting_jobs"), load.waiting);
        row.insert(QStringLiteral("is_master"), leader && leader->data == member.id);
        const std::optional<jobs::Cordon> cordon = co_await jobs::cordonOf(cluster, member.id);
        addState(row, cordon);
        rows.append(row);
    }
    co_return rows;
}

async::Task<QJsonArray> jobsOf(jobs::Cluster cluster, QString worker)
{
    Loads loads = co_await readLoads(cluster);
    QJsonArray all = loads[worker].running;
    for (const QJsonValue job : std::as_const(loads[worker].waiting))
        all.append(job);
    co_return all;
}

QString workerArgument(const Arguments &arguments)
{
    const QString id = arguments.at(0);
    if (!text::isName(id))
        throw UsageError(QStringLiteral("\"%1\" is not a worker id; drover worker ls lists them").arg(id));
    return id;
}

jobs::NotFound noSuchWorker(const QString &id)
{
    return jobs::NotFound(QStringLiteral("there is no worker %1; drover worker ls lists them").arg(id));
}

jobs::NotFound noMaster(const QByteArray &cluster)
{
    return jobs::NotFound(QStringLiteral("cluster %1 has no master, because it has no worker; start one: drover worker")
                              .arg(QString::fromLatin1(cluster)));
}

} // namespace drover::app
