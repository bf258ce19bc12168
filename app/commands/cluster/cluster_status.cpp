#include "app/cli/json_builder.h"
#include "app/cli/sentence.h"
#include "app/commands/commands.h"
#include "app/doctor/ensemble.h"
#include "app/environment/context.h"
#include "text/quantity.h"

namespace drover::app {

namespace {

const QList<Column> Columns{
    {"server", "SERVER"},
    {"role", "ROLE"},
    {"zookeeper_version", "VERSION", Column::Kind::Text, false, 8, 3},
    {"latency_ms", "LATENCY", Column::Kind::Real},
    {"connections", "CONNECTIONS", Column::Kind::Number, false, 8, 4},
    {"watches", "WATCHES", Column::Kind::Number, false, 8, 1},
    {"zxid", "ZXID", Column::Kind::Text, false, 8, 2},
    {"lag", "LAG", Column::Kind::Number},
    {"trouble", "TROUBLE", Column::Kind::Text, true},
};

QJsonObject rowOf(const zk::ServerReport &report, quint64 newest)
{
    QJsonObject row{{QStringLiteral("server"), report.address.toString()},
                    {QStringLiteral("role"), zk::roleName(report.role)}};
    JsonBuilder builder(row);
    builder.text("zookeeper_version", report.version());
    builder.known("latency_ms", report.latency());
    builder.known("connections", report.number("srvr", "Connections"));
    builder.known("watches", report.number("mntr", "zk_watch_count"));
    if (const std::optional<quint64> zxid = report.zxid())
        builder.set("zxid", QStringLiteral("0x%1").arg(*zxid, 0, 16));
    builder.known("lag", report.lagBehind(newest));
    builder.text("trouble", report.trouble);
    return row;
}

QString textOf(const zk::Majority &majority)
{
    const QString voters = text::formatCount(majority.voters, "server", "servers");
    if (!majority.isServed)
        return QStringLiteral("no majority serves: %1 of %2 must").arg(majority.needed()).arg(voters);
    return QStringLiteral("%1 of %2 %3, %4 must: %5 may fail")
        .arg(majority.serving)
        .arg(voters, majority.serving == 1 ? QStringLiteral("serves") : QStringLiteral("serve"))
        .arg(majority.needed())
        .arg(majority.mayFail() == 0 ? QStringLiteral("none") : QString::number(majority.mayFail()));
}

async::Task<int> execute(Context &context)
{
    const QByteArrayList words{"srvr", "mntr", "conf"};
    const std::vector<zk::ServerReport> reports =
        co_await zk::askServers(context.loop(), context.requireServers(), words);
    const QByteArray config = co_await configBeside(context, reports);
    const zk::Majority majority = zk::majorityOf(reports, zk::membershipOf(reports, config));
    QList<QJsonObject> rows;
    for (const zk::ServerReport &report : reports)
        rows.append(rowOf(report, zk::newestZxid(reports)));
    context.out().list("servers", Columns, rows,
                       {{QStringLiteral("voters"), majority.voters},
                        {QStringLiteral("serving"), majority.serving},
                        {QStringLiteral("majority"), majority.needed()},
                        {QStringLiteral("may_fail"), majority.mayFail()},
                        {QStringLiteral("serves"), majority.isServed}});
    if (context.out().isTable())
        printSentence(context.out(), textOf(majority));
    co_return majority.isServed ? ExitOk : ExitUnreachable;
}

} // namespace

Command clusterStatus()
{
    return {.name = "cluster status",
            .summary = "Show the ZooKeeper servers, their roles, and how many of them may fail",
            .details = "Asks each server of the connect string, all at once, for at most two seconds. LAG is how many "
                       "transactions a server is behind the newest. A server says its watches only if mntr is in its "
                       "4lw.commands.whitelist. No credentials are needed.",
            .examples = {"drover cluster status", "drover cluster status --connect zk1,zk2,zk3 -o json"},
            .exits = {{"0", "a majority of the servers serves"}, {"6", "none does"}},
            .run = execute};
}

} // namespace drover::app
