#include "app/worker_rows.h"

#include "app/failure.h"
#include "app/units.h"
#include "jobs/cordon.h"
#include "jobs/read_nodes.h"
#include "jobs/records.h"
#include "recipes/group.h"
#include "recipes/leader_latch.h"
#include "recipes/persist.h"

#include <QJsonArray>

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

async::Task<Loads> readLoads(zk::Coordinator &zk, jobs::Layout layout)
{
    const auto list = [&] { return zk.children(layout.claims()); };
    const zk::Answer<zk::Children> claims = co_await recipes::persist(zk, list);
    std::vector<zk::Path> paths;
    for (const QByteArray &name : claims->names)
        paths.push_back(layout.claims() / name);
    const std::vector<zk::Answer<zk::Node>> nodes = co_await jobs::readNodes(zk, paths);
    Loads loads;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        try {
            if (!nodes[i].ok())
                continue;
            const jobs::Claim claim = jobs::Claim::decode(nodes[i]->data);
            Load &load = loads[claim.worker];
            (claim.waits.isEmpty() ? load.running : load.waiting).append(QString::fromUtf8(paths[i].name()));
            load.slotsUsed += claim.waits.isEmpty() ? claim.slotCount : 0;
        } catch (const jobs::Malformed &) {
        }
    }
    co_return loads;
}

QJsonObject rowOf(const recipes::Member &member)
{
    QJsonObject row{{QStringLiteral("worker"), QString::fromUtf8(member.id)}};
    try {
        const jobs::WorkerInfo info = jobs::WorkerInfo::decode(member.data);
        row.insert(QStringLiteral("host"), info.host);
        row.insert(QStringLiteral("pid"), info.pid);
        row.insert(QStringLiteral("slots"), info.slotCount);
        row.insert(QStringLiteral("memory_bytes"), info.memory);
        row.insert(QStringLiteral("labels"), QJsonArray::fromStringList(info.labels));
        row.insert(QStringLiteral("queues"), QJsonArray::fromStringList(info.queues));
        row.insert(QStringLiteral("spool"), info.spool);
        if (!info.endpoint.isEmpty())
            row.insert(QStringLiteral("output_at"), info.endpoint);
        row.insert(QStringLiteral("started_at"), formatTime(info.startedAt));
        row.insert(QStringLiteral("version"), info.version);
    } catch (const jobs::Malformed &error) {
        row.insert(QStringLiteral("malformed"), QString::fromUtf8(error.what()));
        row.insert(QStringLiteral("host"), QStringLiteral("(malformed)"));
    }
    return row;
}

void addCordon(QJsonObject &row, const std::optional<jobs::Cordon> &cordon)
{
    row.insert(QStringLiteral("state"), cordon ? QStringLiteral("cordoned") : QStringLiteral("ready"));
    if (!cordon)
        return;
    row.insert(QStringLiteral("cordoned_by"), cordon->by);
    row.insert(QStringLiteral("cordoned_why"), cordon->why);
    row.insert(QStringLiteral("cordoned_at"), formatTime(cordon->at));
}

} // namespace

async::Task<QList<QJsonObject>> workerRows(zk::Coordinator &zk, jobs::Layout layout)
{
    recipes::Group members(zk, layout.members());
    recipes::LeaderLatch latch(zk, layout.master());
    const std::vector<recipes::Member> present = co_await members.members();
    const std::optional<recipes::Participant> leader = co_await latch.leader();
    Loads loads = co_await readLoads(zk, layout);
    QList<QJsonObject> rows;
    for (const recipes::Member &member : present) {
        QJsonObject row = rowOf(member);
        const Load &load = loads[QString::fromUtf8(member.id)];
        row.insert(QStringLiteral("running"), load.running.size());
        row.insert(QStringLiteral("slots_used"), load.slotsUsed);
        row.insert(QStringLiteral("jobs"), load.running);
        row.insert(QStringLiteral("waiting_jobs"), load.waiting);
        row.insert(QStringLiteral("master"), leader && leader->data == member.id);
        const std::optional<jobs::Cordon> cordon = co_await jobs::cordonOf(zk, layout, member.id);
        addCordon(row, cordon);
        rows.append(row);
    }
    co_return rows;
}

async::Task<QJsonArray> jobsOf(zk::Coordinator &zk, jobs::Layout layout, QString worker)
{
    Loads loads = co_await readLoads(zk, layout);
    QJsonArray all = loads[worker].running;
    for (const QJsonValue job : std::as_const(loads[worker].waiting))
        all.append(job);
    co_return all;
}

QString workerArgument(const Arguments &arguments)
{
    const QString id = arguments.at(0);
    if (!jobs::isValidName(id))
        throw UsageError(QStringLiteral("\"%1\" is no worker's id; drover worker ls lists them").arg(id));
    return id;
}

jobs::NotFound noSuchWorker(const QString &id)
{
    return jobs::NotFound(QStringLiteral("there is no worker %1; drover worker ls lists them").arg(id));
}

} // namespace drover::app
