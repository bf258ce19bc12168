#include "app/commands/commands.h"
#include "app/doctor/ensemble.h"
#include "app/environment/context.h"
#include "text/quantity.h"

namespace drover::app {

namespace {

using Role = ServerReport::Role;

const QList<Column> Columns{
    {"server", "SERVER"},
    {"role", "ROLE"},
    {"version", "VERSION"},
    {"latency_ms", "LATENCY", Column::Kind::Real},
    {"connections", "CONNECTIONS", Column::Kind::Number},
    {"watches", "WATCHES", Column::Kind::Number},
    {"zxid", "ZXID"},
    {"lag", "LAG", Column::Kind::Number},
    {"trouble", "TROUBLE", Column::Kind::Text, true},
};

// The last transaction that any server knows: they are asked at about the same time.
quint64 newestOf(const std::vector<ServerReport> &reports)
{
    quint64 newest = 0;
    for (const ServerReport &report : reports)
        newest = std::max(newest, report.serves() ? report.zxid().value_or(0) : 0);
    return newest;
}

QJsonObject rowOf(const ServerReport &report, quint64 newest)
{
    QJsonObject row{{QStringLiteral("server"), report.address.toString()},
                    {QStringLiteral("role"), roleName(report.role)}};
    if (!report.version().isEmpty())
        row.insert(QStringLiteral("version"), report.version());
    if (const std::optional<double> latency = report.latency())
        row.insert(QStringLiteral("latency_ms"), *latency);
    if (const std::optional<qint64> connections = report.number("srvr", "Connections"))
        row.insert(QStringLiteral("connections"), *connections);
    if (const std::optional<qint64> watches = report.number("mntr", "zk_watch_count"))
        row.insert(QStringLiteral("watches"), *watches);
    if (const std::optional<quint64> zxid = report.zxid()) {
        row.insert(QStringLiteral("zxid"), QStringLiteral("0x%1").arg(*zxid, 0, 16));
        if (*zxid >> 32 == newest >> 32) // its upper half is the epoch of a leader
            row.insert(QStringLiteral("lag"), static_cast<qint64>(newest - std::min(newest, *zxid)));
    }
    if (!report.trouble.isEmpty())
        row.insert(QStringLiteral("trouble"), report.trouble);
    return row;
}

QString textOf(const Majority &majority)
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
    const std::vector<ServerReport> reports = co_await askServers(context.loop(), context.requireServers(), words);
    const QByteArray config = co_await configBeside(context, reports);
    const Majority majority = majorityOf(reports, membershipOf(reports, config));
    QList<QJsonObject> rows;
    for (const ServerReport &report : reports)
        rows.append(rowOf(report, newestOf(reports)));
    context.out().list("servers", Columns, rows,
                       {{QStringLiteral("voters"), majority.voters},
                        {QStringLiteral("serving"), majority.serving},
                        {QStringLiteral("majority"), majority.needed()},
                        {QStringLiteral("may_fail"), majority.mayFail()},
                        {QStringLiteral("serves"), majority.isServed}});
    if (context.out().isTable())
        context.out().line(textOf(majority));
    co_return majority.isServed ? ExitOk : ExitUnreachable;
}

} // namespace

Command clusterStatus()
{
    return {.name = "cluster status",
            .synopsis = "[OPTIONS]",
            .summary = "Show the ZooKeeper servers, their roles, and how many of them may fail",
            .details = "Asks each server of the connect string, all at once, for at most two seconds. LAG is how many "
                       "transactions a server is behind the newest. A server says its watches only if mntr is in its "
                       "4lw.commands.whitelist. No credentials are needed.",
            .examples = {"drover cluster status", "drover cluster status --connect zk1,zk2,zk3 -o json"},
            .exits = {{"0", "a majority of the servers serves"}, {"6", "none does"}},
            .run = execute};
}

} // namespace drover::app
