#include "app/commands/commands.h"
#include "app/context.h"
#include "app/units.h"
#include "recipes/group.h"
#include "recipes/leader_latch.h"
#include "recipes/persist.h"

#include <map>

namespace drover::app {

namespace {

using Kind = Column::Kind;

const QList<Column> Columns{
    {"worker", "WORKER"},
    {"host", "HOST"},
    {"pid", "PID", Kind::Number},
    {"slots", "SLOTS", Kind::Number},
    {"running", "RUNNING", Kind::Number},
    {"master", "MASTER"},
    {"started_at", "UP", Kind::Time},
    {"queues", "QUEUES", Kind::Text, true},
};

QJsonObject rowOf(const QByteArray &name, const QByteArray &data)
{
    QJsonObject row{{QStringLiteral("worker"), QString::fromUtf8(name)}};
    try {
        const jobs::WorkerInfo info = jobs::WorkerInfo::decode(data);
        row.insert(QStringLiteral("host"), info.host);
        row.insert(QStringLiteral("pid"), info.pid);
        row.insert(QStringLiteral("slots"), info.slotCount);
        row.insert(QStringLiteral("queues"), QJsonArray::fromStringList(info.queues));
        row.insert(QStringLiteral("spool"), info.spool);
        row.insert(QStringLiteral("started_at"), formatTime(info.startedAt));
        row.insert(QStringLiteral("version"), info.version);
    } catch (const jobs::Malformed &error) {
        row.insert(QStringLiteral("malformed"), QString::fromUtf8(error.what()));
        row.insert(QStringLiteral("host"), QStringLiteral("(malformed)"));
    }
    return row;
}

// How many jobs each worker runs now.
async::Task<std::map<QString, int>> countClaims(zk::Coordinator &zk, jobs::Layout layout)
{
    const auto list = [&] { return zk.children(layout.claims()); };
    const zk::Answer<zk::Children> claims = co_await recipes::persist(zk, list);
    std::vector<zk::Reply<zk::Node>> replies;
    for (const QByteArray &name : claims->names)
        replies.push_back(zk.get(layout.claims() / name));
    std::map<QString, int> counts;
    for (const zk::Reply<zk::Node> &reply : replies) {
        const zk::Answer<zk::Node> node = co_await reply;
        try {
            if (node.ok())
                ++counts[jobs::Claim::decode(node->data).worker];
        } catch (const jobs::Malformed &) {
        }
    }
    co_return counts;
}

async::Task<int> execute(Context &context)
{
    zk::Coordinator *const zk = co_await context.openCluster();
    const jobs::Layout layout = context.layout();
    recipes::Group members(*zk, layout.members());
    recipes::LeaderLatch latch(*zk, layout.master());
    const std::vector<recipes::Member> present = co_await members.members();
    const std::optional<recipes::Participant> leader = co_await latch.leader();
    const std::map<QString, int> running = co_await countClaims(*zk, layout);
    QList<QJsonObject> rows;
    for (const recipes::Member &member : present) {
        QJsonObject row = rowOf(member.id, member.data);
        const auto count = running.find(QString::fromUtf8(member.id));
        row.insert(QStringLiteral("running"), count == running.end() ? 0 : count->second);
        row.insert(QStringLiteral("master"), leader && leader->data == member.id);
        rows.append(row);
    }
    context.out().list("workers", Columns, rows);
    co_return ExitOk;
}

} // namespace

Command workerLs()
{
    return {.name = "worker ls", .synopsis = "[OPTIONS]", .summary = "List the workers", .run = execute};
}

} // namespace drover::app
