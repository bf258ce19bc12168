#include "app/server_config/member_checks.h"

#include "app/doctor/ensemble_checks.h"
#include "app/doctor/trust_checks.h"
#include "text/quantity.h"
#include "zk/server/server_settings.h"

#include <QHostAddress>
#include <QRegularExpression>

#include <algorithm>

namespace drover::app {

using Level = Finding::Level;

namespace {

constexpr int LargestId = 255;
constexpr int LargestIdWithTtl = 254;
constexpr int LeastJoin = 10'000; // ms to take the data over
constexpr int LeastSync = 2'000; // ms behind the leader

const QString Prefix = QStringLiteral("server.");

bool isMember(const ServerConfig::Setting &setting)
{
    return setting.key.startsWith(Prefix);
}

bool isEverywhere(const QString &address)
{
    const bool isBracketed = address.startsWith(u'[') && address.endsWith(u']');
    const QHostAddress host(isBracketed ? address.sliced(1, address.size() - 2) : address);
    return address.isEmpty() || host == QHostAddress::AnyIPv4 || host == QHostAddress::AnyIPv6;
}

// server.N=HOST:PORT:PORT[:participant|:observer][;[HOST:]PORT], several with bars between them.
std::optional<Member> memberIn(const ServerConfig::Setting &setting)
{
    static const QRegularExpression Form(
        QStringLiteral(
            "^(\\[[0-9A-Fa-f:.]+\\]|[^:;|\\s]+):(\\d{1,5}):(\\d{1,5})(:participant|:observer)?(\\|[^;]*)?(;.*)?$"),
        QRegularExpression::CaseInsensitiveOption);
    bool isNumber = false;
    const int id = setting.key.sliced(Prefix.size()).toInt(&isNumber);
    const QRegularExpressionMatch match = Form.match(setting.value);
    if (!isNumber || id < 0 || !match.hasMatch() || match.captured(2) == match.captured(3)
        || match.captured(2).toInt() > 65535 || match.captured(3).toInt() > 65535)
        return std::nullopt;
    const Member member{id, match.captured(1), match.captured(2) + u':' + match.captured(3),
                        match.captured(4).compare(u":observer", Qt::CaseInsensitive) == 0};
    const QString clients = match.captured(6).mid(1);
    if (member.needsPort(clients.section(u':', -1), clients.section(u':', 0, -2)))
        return std::nullopt;
    return member;
}

Findings checkLines(const ServerConfig &config)
{
    Findings findings;
    QList<Member> seen;
    for (const ServerConfig::Setting &each : config.settings()) {
        const QString place = config.placeOf(each);
        const std::optional<Member> member = isMember(each) ? memberIn(each) : std::nullopt;
        if (isMember(each) && !member)
            findings.append({Level::Problem, each.key,
                             QStringLiteral("\"%1\": ZooKeeper does not start with it").arg(shortened(each.value)),
                             QStringLiteral("write server.N=HOST:2888:3888, with a number N and ports that differ"),
                             place});
        if (!member)
            continue;
        for (const Member &other : seen) {
            if (other.id == member->id)
                findings.append({Level::Problem, each.key,
                                 QStringLiteral("is there twice: the last counts, and a server is missing"),
                                 QStringLiteral("give each server a number of its own"), place});
            else if (other.host == member->host && other.ports == member->ports)
                findings.append({Level::Problem, each.key, QStringLiteral("has the address of server.%1").arg(other.id),
                                 QStringLiteral("name each server once"), place});
        }
        seen.append(*member);
        const int largest = config.flag(QStringLiteral("extendedTypesEnabled")) ? LargestIdWithTtl : LargestId;
        if (member->id < 1 || member->id > largest)
            findings.append({Level::Problem, each.key, QStringLiteral("a server's number is 1 to %1").arg(largest),
                             QStringLiteral("give it such a number, in its file myid, too"), place});
    }
    return findings;
}

// Empty: all of them can reach each other, as far as the names tell.
Findings aboutHosts(const ServerConfig &config, const QList<Member> &members)
{
    const auto isNear = [](const Member &each) { return isLoopback(each.host); };
    const auto near = std::find_if(members.begin(), members.end(), isNear);
    if (near == members.end() || std::all_of(members.begin(), members.end(), isNear))
        return {};
    const QString key = Prefix + QString::number(near->id);
    return {{Level::Problem, key,
             QStringLiteral("\"%1\" is each machine's own name, and others are of other machines").arg(near->host),
             QStringLiteral("name each server by an address that all of them reach, and the same in all files"),
             config.placeOf(key)}};
}

// Which of the servers this one is the file does not tell, so it is said of a port that each of them needs.
Findings aboutClientPorts(const ServerConfig &config, const QList<Member> &members)
{
    Findings findings;
    for (const char *const name : {"clientPort", "secureClientPort"}) {
        const QString key = QLatin1String(name);
        const QString port = QString::number(config.number(key).value_or(0));
        const QString address = config.value(key + QStringLiteral("Address"));
        const auto isTaken = [&](const Member &each) { return each.needsPort(port, address); };
        if (std::all_of(members.begin(), members.end(), isTaken))
            findings.append({Level::Problem, key,
                             QStringLiteral("the servers use port %1 among themselves, so clients cannot").arg(port),
                             QStringLiteral("give the clients another port, such as 2181"), config.placeOf(key)});
    }
    return findings;
}

Findings aboutListening(const ServerConfig &config)
{
    const QString key = QStringLiteral("quorumListenOnAllIPs");
    if (!config.flag(key))
        return {};
    return {{Level::Warning, key, QStringLiteral("the ports between the servers are open at all of their addresses"),
             changeOnEachServer(QStringLiteral("delete it, unless the addresses of the lines server.N are translated; "
                                               "then keep those ports from all other machines")),
             config.placeOf(key)}};
}

// How long a follower may take, in ticks of this configuration. Empty: one of the two is no number of milliseconds,
// which checkKeys() says.
Findings aboutLimit(const ServerConfig &config, const char *name, int least, const char *whatIsShort)
{
    const QString key = QLatin1String(name);
    const std::optional<int> limit = config.number(key);
    const QString tickKey = QStringLiteral("tickTime");
    const qint64 tick = config.find(tickKey) ? config.number(tickKey).value_or(0) : ServerConfig::DefaultTick;
    const QString place = config.placeOf(key);
    if (!config.find(key) || limit == 0)
        return {{Level::Problem, key,
                 QStringLiteral("is not set, or 0: a server of an ensemble does not start without"),
                 QStringLiteral("set %1 and %2").arg(zk::setting("initLimit").line(), zk::setting("syncLimit").line()),
                 place}};
    if (!limit || tick <= 0)
        return {};
    const qint64 time = *limit * tick;
    if (time < least)
        return {
            {Level::Warning, key,
             QStringLiteral("%1 of %2 ms: %3")
                 .arg(text::formatCount(*limit, "tick", "ticks"), QString::number(tick), QLatin1String(whatIsShort)),
             changeOnEachServer(QStringLiteral("set %1=%2").arg(key, QString::number((least + tick - 1) / tick))),
             place}};
    return {{Level::Ok, key, QStringLiteral("%1 ms").arg(time), {}, place}};
}

Finding aboutAutocreate(const ServerConfig &config)
{
    const QString key = QStringLiteral("db.autocreate");
    const QString place = config.placeOf(key);
    if (config.find(key) && !config.flag(key))
        return {Level::Ok, key, QStringLiteral("false: a server that lost its data does not vote"), {}, place};
    return {Level::Warning, key, QStringLiteral("is not false: a server that lost its data votes at once"),
            adviceOnAutocreate(), place};
}

Finding aboutSnapshotSync(const ServerConfig &config)
{
    const QString key = QStringLiteral("forceSnapshotSync");
    const QString place = config.placeOf(key);
    if (config.flag(key))
        return {Level::Ok, key, QStringLiteral("true"), {}, place};
    return {Level::Unknown, key,
            QStringLiteral("is not true here; a flag of Java may say it, which no configuration shows"),
            adviceOnSnapshotSync(), place};
}

} // namespace

bool Member::needsPort(const QString &port, const QString &address) const
{
    return ports.split(u':').contains(port) && (isEverywhere(address) || isEverywhere(host) || address == host);
}

QString Member::line() const
{
    return QStringLiteral("server.%1=%2:%3:%4")
        .arg(QString::number(id), host, ports, isObserver ? QStringLiteral("observer") : QStringLiteral("participant"));
}

Members membersOf(const ServerConfig &config)
{
    Members members;
    members.areElsewhere = config.find(QStringLiteral("dynamicConfigFile"));
    for (const ServerConfig::Setting &each : config.settings()) {
        members.areGrouped = members.areGrouped || each.key.startsWith(u"group.") || each.key.startsWith(u"weight.");
        const std::optional<Member> member = isMember(each) ? memberIn(each) : std::nullopt;
        if (!member)
            continue;
        members.all.removeIf([&](const Member &other) { return other.id == member->id; });
        members.all.append(*member);
    }
    return members;
}

Findings checkMembers(const ServerConfig &config)
{
    const Members members = membersOf(config);
    Findings findings = checkLines(config);
    if (members.areElsewhere)
        findings.append(
            {Level::Unknown, QStringLiteral("server.N"),
             QStringLiteral("the servers are in %1").arg(shortened(config.value(QStringLiteral("dynamicConfigFile")))),
             QStringLiteral("ask the servers themselves: drover cluster check without --server-config"),
             config.placeOf(QStringLiteral("dynamicConfigFile"))});
    if (members.areElsewhere && !members.all.isEmpty())
        findings.append({Level::Problem, QStringLiteral("server.N"),
                         QStringLiteral("is set beside dynamicConfigFile: ZooKeeper does not start with both"),
                         QStringLiteral("move the lines server.N into that file"),
                         config.placeOf(QStringLiteral("dynamicConfigFile"))});
    if (!members.isEnsemble())
        return findings;
    if (!members.areElsewhere)
        findings += aboutHosts(config, members.all) + aboutClientPorts(config, members.all);
    findings += aboutListening(config);
    findings += aboutLimit(config, "initLimit", LeastJoin, "a server that joins may not get all data in that time");
    findings += aboutLimit(config, "syncLimit", LeastSync, "a short pause makes a server leave");
    findings += {aboutAutocreate(config), aboutSnapshotSync(config)};
    return findings;
}

} // namespace drover::app
