#include "app/server_config/prepared_configs.h"

#include "app/cli/failure.h"
#include "app/doctor/trust_checks.h"
#include "app/server_config/config_checks.h"
#include "zk/server/server_settings.h"

#include <QRegularExpression>

#include <algorithm>
#include <set>

namespace drover::app {

using Level = Finding::Level;

namespace {

constexpr const char *PortsBetween = "2888:3888";
const QString ConfigName = QStringLiteral("zoo.cfg");

// A folder has the host's name, so that name may be neither ".." nor a path.
void requireHosts(const zk::ServerList &servers)
{
    static const QRegularExpression name(QStringLiteral("^\\w[\\w-]*(\\.\\w[\\w-]*)*$"));
    std::set<QString> seen;
    for (const zk::ServerAddress &each : servers) {
        if (!each.isNumeric() && !name.match(each.host).hasMatch())
            throw UsageError(QStringLiteral("\"%1\" cannot be the name of a host").arg(each.host));
        if (!seen.insert(each.host.toLower()).second)
            throw UsageError(QStringLiteral("%1 is named twice: each server needs a machine of its own; drover up "
                                            "--servers 3 runs three on this one")
                                 .arg(each.host));
    }
}

// ZooKeeper reads the file as Latin-1, and a backslash as the begin of an escape.
void requirePlain(const QString &dataDir)
{
    const auto isPlain = [](QChar each) { return each >= u' ' && each <= u'~' && each != u'\\'; };
    if (!std::all_of(dataDir.begin(), dataDir.end(), isPlain) || dataDir.trimmed() != dataDir)
        throw UsageError(QStringLiteral("--data-dir: %1: only ASCII characters can be written into zoo.cfg, without "
                                        "backslashes, and without blanks at the ends")
                             .arg(dataDir));
}

QByteArray configOf(const zk::ServerAddress &own, const QStringList &members, const QString &dataDir)
{
    QStringList lines;
    for (const zk::ServerSetting &each : zk::SettingsOfEach)
        lines.append(each.line());
    lines.append(QStringLiteral("dataDir=") + dataDir);
    lines.append(QStringLiteral("clientPort=%1").arg(own.port));
    if (isLoopback(own.toString()))
        lines.append(QStringLiteral("clientPortAddress=") + own.host);
    if (members.size() > 1) {
        for (const zk::ServerSetting &each : zk::SettingsOfMembers)
            lines.append(each.line());
        lines += members;
    }
    return lines.join(u'\n').toLatin1() + '\n';
}

Findings judge(const std::vector<PreparedServer> &servers, std::chrono::milliseconds sessionTimeout)
{
    std::vector<ServerConfig> configs;
    for (const PreparedServer &each : servers)
        configs.emplace_back(each.folder + u'/' + ConfigName, each.files.at(ConfigName));
    return checkServerConfigs(configs, sessionTimeout);
}

} // namespace

PreparedEnsemble prepareEnsemble(const zk::ServerList &servers, const QString &dataDir,
                                 std::chrono::milliseconds sessionTimeout)
{
    requireHosts(servers);
    requirePlain(dataDir);
    QStringList members;
    for (const zk::ServerAddress &each : servers) {
        const QString host = each.toString().section(u':', 0, -2); // an IPv6 address in brackets
        members.append(QStringLiteral("server.%1=%2:%3")
                           .arg(QString::number(members.size() + 1), host, QLatin1String(PortsBetween)));
    }
    PreparedEnsemble prepared;
    for (const zk::ServerAddress &each : servers) {
        PreparedServer server{each, each.host, {{ConfigName, configOf(each, members, dataDir)}}};
        if (members.size() > 1) {
            server.files[QStringLiteral("myid")] = QByteArray::number(prepared.servers.size() + 1) + '\n';
            server.files[QStringLiteral("initialize")] = QByteArray(); // db.autocreate=false needs it once
        }
        prepared.servers.push_back(std::move(server));
    }
    for (const Finding &each : judge(prepared.servers, sessionTimeout)) {
        if (each.level == Level::Problem)
            throw UsageError(QStringLiteral("%1: %2").arg(each.subject, each.what));
        if (each.level == Level::Warning)
            prepared.warnings.append(each);
    }
    return prepared;
}

} // namespace drover::app
