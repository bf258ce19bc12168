#include "app/doctor/server_checks.h"

#include <algorithm>

namespace drover::app {

using Level = Finding::Level;
using Role = zk::ServerReport::Role;

namespace {

constexpr double SlowAverage = 50; // milliseconds a request

// Where others serve, there is a majority: they are well, and this one does not find them.
QString adviceFor(const zk::ServerReport &report, bool othersServe)
{
    switch (report.role) {
    case Role::NotServing:
        return othersServe ? QStringLiteral("leave the other servers as they are, for they serve; look into the log of "
                                            "this one, and at its network to the ports of their server.N lines")
                           : QStringLiteral("it has no majority: start or mend the other servers");
    case Role::Unknown:
        return QStringLiteral("add srvr to 4lw.commands.whitelist in its configuration");
    case Role::Stranger:
        return QStringLiteral("check the address");
    default:
        return QStringLiteral(
            "start it, or leave it out; is it stopped or overloaded, or is that no client port, or one with "
            "TLS?");
    }
}

Finding findingOf(const zk::ServerReport &report, bool othersServe)
{
    const QString subject = QStringLiteral("ZooKeeper ") + report.address.toString();
    if (!report.serves())
        return {report.role == Role::Unknown ? Level::Warning : Level::Problem, subject, report.trouble,
                adviceFor(report, othersServe)};
    const double average = report.latency().value_or(0);
    const QString what = QStringLiteral("%1, version %2, %3 ms a request on average")
                             .arg(zk::roleName(report.role), report.version(), QString::number(average, 'f', 1));
    if (average > SlowAverage)
        return {Level::Warning, subject, what, QStringLiteral("look at its disk: every write waits for it")};
    return {Level::Ok, subject, what};
}

} // namespace

Findings findingsOf(const std::vector<zk::ServerReport> &reports)
{
    const bool someServe = std::any_of(reports.begin(), reports.end(), [](const zk::ServerReport &one) {
        return one.serves() && one.role != Role::Standalone; // which replicates no data
    });
    Findings findings;
    for (const zk::ServerReport &report : reports)
        findings.append(findingOf(report, someServe));
    return findings;
}

async::Task<Findings> checkServers(async::Loop &loop, QString connectString)
{
    const QByteArrayList words{"srvr"};
    const std::vector<zk::ServerReport> reports =
        co_await zk::askServers(loop, zk::parseConnectString(connectString), words);
    co_return findingsOf(reports);
}

} // namespace drover::app
