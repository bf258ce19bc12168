#include "app/doctor/ensemble_checks.h"

#include "app/doctor/server_checks.h"
#include "app/environment/programs.h"
#include "text/quantity.h"
#include "zk/server/server_settings.h"

#include <algorithm>
#include <set>

namespace drover::app {

using namespace std::chrono_literals;
using Level = Finding::Level;
using Role = zk::ServerReport::Role;

namespace {

constexpr qint64 FewConnections = 200;
constexpr qint64 TicksOfASession = 5; // core/zk/README.md says why

const QString Restart = QStringLiteral("change it in the configuration of every server, and restart them one by one, "
                                       "each once the one before serves again");

// The values that the servers give for a number of conf, each once.
std::set<qint64> valuesOf(const EnsembleView &view, const char *name)
{
    std::set<qint64> values;
    for (const zk::ServerReport &report : view.reports) {
        if (const std::optional<qint64> value = report.number("conf", name); value && report.serves())
            values.insert(*value);
    }
    return values;
}

QString join(const std::set<qint64> &values)
{
    QStringList texts;
    for (const qint64 value : values)
        texts << QString::number(value);
    return texts.join(QStringLiteral(", "));
}

Finding unknown(const QString &subject, const QString &advice)
{
    return {Level::Unknown, subject, QStringLiteral("cannot be seen from outside; --server-config FILE judges zoo.cfg"),
            advice};
}

Finding aboutVoters(const zk::Membership &membership)
{
    const QString subject = QStringLiteral("ensemble");
    const QString voters = text::formatCount(membership.voters, "voting server", "voting servers");
    if (membership.voters % 2 == 0)
        return {Level::Warning, subject,
                QStringLiteral("%1: no more of them may fail than of %2").arg(voters).arg(membership.voters - 1),
                QStringLiteral("add one, or make one an observer (\":observer\" behind its ports)")};
    return {Level::Ok, subject, voters};
}

Finding aboutMembers(const EnsembleView &view, const zk::Membership &membership)
{
    const int named = static_cast<int>(view.reports.size());
    const auto members = static_cast<int>(membership.lines.size());
    if (named < members)
        return {Level::Warning, QStringLiteral("ensemble"),
                QStringLiteral("the connect string names %1 of its %2 servers").arg(named).arg(members),
                QStringLiteral("name all in --connect, DROVER_CONNECT or the configuration file of every machine: when "
                               "those that are named fail, the others cannot be found")};
    return aboutVoters(membership);
}

// Servers that do not replicate each other keep different data: each session would find those of one of them.
Findings aboutBelonging(const EnsembleView &view)
{
    Findings findings;
    std::vector<zk::Membership> different;
    bool isAlone = false;
    for (const zk::ServerReport &report : view.reports) {
        const auto conf = report.answers.find("conf");
        isAlone = isAlone || report.role == Role::Standalone;
        if (conf == report.answers.end() || !report.serves())
            continue;
        const std::optional<zk::Membership> said = zk::Membership::in(conf->second);
        if (said && std::ranges::find(different, *said) == different.end())
            different.push_back(*said);
    }
    const QString subject = QStringLiteral("ensemble");
    if (isAlone && view.reports.size() > 1)
        findings.append({Level::Problem, subject,
                         QStringLiteral("a standalone server is named beside others: it replicates nothing, so each "
                                        "client finds other jobs"),
                         QStringLiteral("name the servers of one ensemble only")});
    else if (isAlone)
        findings.append(
            {Level::Warning, subject,
             QStringLiteral("one server alone: nothing works while it is down, and its disk is the only "
                            "copy"),
             withInstalledPlaces(QStringLiteral("grow to three: /usr/share/doc/drover/docs/growing-zookeeper.md"))});
    if (different.size() > 1)
        findings.append({Level::Problem, subject,
                         QStringLiteral("the servers list different members: they are of two ensembles, or a change of "
                                        "the members is half done"),
                         QStringLiteral("give all servers the same server.N lines; name those of one ensemble only")});
    return findings;
}

Finding aboutVersions(const EnsembleView &view)
{
    std::set<QString> versions;
    for (const zk::ServerReport &report : view.reports) {
        if (report.serves())
            versions.insert(report.version());
    }
    const QString all = QStringList(versions.begin(), versions.end()).join(QStringLiteral(", "));
    if (versions.size() > 1)
        return {Level::Warning, QStringLiteral("version"), all,
                QStringLiteral("finish the upgrade: all servers should run the newest of these")};
    return {Level::Ok, QStringLiteral("version"), all};
}

Finding aboutWords(const EnsembleView &view)
{
    std::set<QByteArray> forbidden;
    for (const zk::ServerReport &report : view.reports)
        forbidden.insert(report.forbidden.begin(), report.forbidden.end());
    const QString subject = QStringLiteral("4lw.commands.whitelist");
    if (forbidden.empty())
        return {Level::Ok, subject, QStringLiteral("srvr, mntr and conf are answered")};
    return {Level::Warning, subject,
            QStringLiteral("%1 may not be asked everywhere")
                .arg(QString::fromUtf8(QByteArrayList(forbidden.begin(), forbidden.end()).join(", "))),
            zk::setting("4lw.commands.whitelist").line()
                + QStringLiteral(" lets this command judge the rest, and none of them changes anything; ") + Restart};
}

Finding aboutConnections(const EnsembleView &view)
{
    const QString subject = QStringLiteral("maxClientCnxns");
    const std::set<qint64> limits = valuesOf(view, "maxClientCnxns");
    if (limits.empty())
        return unknown(
            subject,
            QStringLiteral("let the servers answer conf, or see that it is 0 or at least %1").arg(FewConnections));
    const bool isFew = std::ranges::any_of(limits, [](qint64 limit) { return limit > 0 && limit < FewConnections; });
    if (isFew)
        return {Level::Warning, subject,
                QStringLiteral("%1: so many connections a machine may have to a server, and each worker and each "
                               "command, also in jobs, is one")
                    .arg(join(limits)),
                QStringLiteral("set %1 (no limit) or 1000; ").arg(QLatin1String(zk::setting("maxClientCnxns").value))
                    + Restart};
    return {Level::Ok, subject, limits == std::set<qint64>{0} ? QStringLiteral("no limit") : join(limits)};
}

Finding aboutTicks(const EnsembleView &view)
{
    const QString subject = QStringLiteral("tickTime");
    const std::set<qint64> ticks = valuesOf(view, "tickTime");
    if (ticks.empty())
        return unknown(subject,
                       QStringLiteral("let the servers answer conf, or see that it is at most %1 ms")
                           .arg(view.sessionTimeout.count() / TicksOfASession));
    if (ticks.size() > 1)
        return {Level::Warning, subject, QStringLiteral("differs: %1 ms").arg(join(ticks)),
                QStringLiteral("give all servers the same; ") + Restart};
    if (*ticks.rbegin() * TicksOfASession > view.sessionTimeout.count())
        return {Level::Problem, subject,
                QStringLiteral("%1 ms: a session of %2 has fewer than %3 ticks, and a leader that was deposed may "
                               "answer for longer than a lock lasts")
                    .arg(join(ticks), text::formatDuration(view.sessionTimeout))
                    .arg(TicksOfASession),
                QStringLiteral("set %1 or less; ").arg(QLatin1String(zk::setting("tickTime").value)) + Restart};
    return {Level::Ok, subject, QStringLiteral("%1 ms").arg(join(ticks))};
}

// Each server measures its sessions by its own tick: the shortest ones of those whose ticks are too long for them.
std::set<qint64> lessThanTwoTicks(const EnsembleView &view)
{
    std::set<qint64> few;
    for (const zk::ServerReport &report : view.reports) {
        const std::optional<qint64> least = report.number("conf", "minSessionTimeout");
        const std::optional<qint64> tick = report.number("conf", "tickTime");
        if (report.serves() && least && tick && *least < 2 * *tick)
            few.insert(*least);
    }
    return few;
}

Finding aboutSessions(const EnsembleView &view)
{
    const QString subject = QStringLiteral("session time-outs");
    const std::set<qint64> least = valuesOf(view, "minSessionTimeout");
    const std::set<qint64> most = valuesOf(view, "maxSessionTimeout");
    const QString wanted = text::formatDuration(view.sessionTimeout);
    if (least.empty() || most.empty())
        return unknown(subject,
                       QStringLiteral("let the servers answer conf, or see that minSessionTimeout and "
                                      "maxSessionTimeout leave %1 between them")
                           .arg(wanted));
    if (*least.rbegin() > view.sessionTimeout.count())
        return {Level::Warning, subject,
                QStringLiteral("minSessionTimeout is %1 ms, and workers ask for %2: a worker's death is noticed late")
                    .arg(join(least), wanted),
                QStringLiteral("leave minSessionTimeout out; ") + Restart};
    if (*most.begin() < view.sessionTimeout.count())
        return {Level::Warning, subject,
                QStringLiteral("maxSessionTimeout is %1 ms, and workers ask for %2: a shorter pause ends their jobs")
                    .arg(join(most), wanted),
                QStringLiteral("leave maxSessionTimeout out; ") + Restart};
    if (const std::set<qint64> few = lessThanTwoTicks(view); !few.empty())
        return {Level::Problem, subject,
                QStringLiteral("minSessionTimeout is %1 ms, less than two ticks: a client can have a session that ends "
                               "later than the client thinks")
                    .arg(join(few)),
                QStringLiteral("leave minSessionTimeout out; ") + Restart};
    return {Level::Ok, subject,
            QStringLiteral("workers get the %1 that they ask for, if they are started without --session-timeout")
                .arg(wanted)};
}

// Which no server tells.
Findings aboutTheRest(const EnsembleView &view, bool isEnsemble)
{
    qint64 most = 0;
    for (const zk::ServerReport &report : view.reports)
        most = std::max(most, report.number("conf", "dataDirSize").value_or(0));
    const QString data = most > 0 ? QStringLiteral("; its data takes %1 now").arg(text::formatSize(most)) : QString();
    Findings findings{
        unknown(QStringLiteral("autopurge"),
                QStringLiteral("see that the configuration has %1: without them snapshots fill the disk%2")
                    .arg(adviceOnPurge(), data)),
        unknown(QStringLiteral("jute.maxbuffer"),
                QStringLiteral("leave it out: Drover needs no more than the default, 1 MiB. A smaller one breaks large "
                               "reads; one that differs between servers can keep a server from joining")),
    };
    if (!isEnsemble)
        return findings;
    findings.append(unknown(QStringLiteral("db.autocreate"), adviceOnAutocreate()));
    findings.append(unknown(QStringLiteral("forceSnapshotSync"), adviceOnSnapshotSync()));
    return findings;
}

} // namespace

QString changeOnEachServer(const QString &change)
{
    return change + QStringLiteral("; ") + Restart;
}

QString adviceOnPurge()
{
    return QStringLiteral("%1 and %2")
        .arg(zk::setting("autopurge.purgeInterval").line(), zk::setting("autopurge.snapRetainCount").line());
}

QString adviceOnAutocreate()
{
    return QStringLiteral(
               "set %1 on servers that have their data: a server that lost its disk then does not vote until "
               "it has the others' data. Otherwise it can elect a leader that lacks acknowledged jobs. A new "
               "ensemble needs an empty file \"initialize\" in the dataDir of each server")
        .arg(zk::setting("db.autocreate").line());
}

QString adviceOnSnapshotSync()
{
    return QStringLiteral("set %1, or start each server with -Dzookeeper.%1: ZooKeeper 3.8.0 can lose acknowledged "
                          "writes when a server dies while it rejoins")
        .arg(zk::setting("forceSnapshotSync").line());
}

Findings checkStatedNumbers(const EnsembleView &view)
{
    return {aboutConnections(view), aboutTicks(view), aboutSessions(view)};
}

Findings checkStatedMembers(const EnsembleView &view)
{
    Findings findings = aboutBelonging(view);
    if (const std::optional<zk::Membership> membership = zk::membershipOf(view.reports, view.config))
        findings.append(aboutVoters(*membership));
    return findings;
}

Findings checkEnsemble(const EnsembleView &view)
{
    Findings findings = findingsOf(view.reports);
    const bool isServed = std::ranges::any_of(view.reports, [](const auto &report) { return report.serves(); });
    if (!isServed)
        return findings;
    const std::optional<zk::Membership> membership = zk::membershipOf(view.reports, view.config);
    const Findings belonging = aboutBelonging(view);
    findings += belonging;
    if (membership)
        findings.append(aboutMembers(view, *membership));
    else if (belonging.isEmpty())
        findings.append(unknown(QStringLiteral("ensemble"), QStringLiteral("let the servers answer conf")));
    findings += {aboutVersions(view), aboutWords(view)};
    findings += checkStatedNumbers(view);
    findings += aboutTheRest(view, membership.has_value());
    return findings;
}

} // namespace drover::app
