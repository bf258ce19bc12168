#include "app/server_config/config_checks.h"

#include "app/doctor/ensemble_checks.h"
#include "app/server_config/member_checks.h"

namespace drover::app {

using Level = Finding::Level;
using Role = zk::ServerReport::Role;

namespace {

constexpr int NotSet = -1; // also if a time-out is set to it
constexpr int DefaultConnections = 60;

// As a server with this configuration answers the word conf. What ZooKeeper would not start with is left out.
QByteArray confOf(const ServerConfig &config, const Members &members)
{
    QByteArray text;
    const auto add = [&](const char *key, std::optional<qint64> value) {
        if (value)
            text += QByteArray(key) + '=' + QByteArray::number(*value) + '\n';
    };
    const auto read = [&](const QString &key, qint64 fallback) -> std::optional<qint64> {
        if (!config.find(key))
            return fallback;
        return config.number(key);
    };
    const auto readTimeout = [&](const QString &key, qint64 fallback) -> std::optional<qint64> {
        const std::optional<qint64> value = read(key, NotSet);
        if (value == NotSet)
            return fallback;
        return value;
    };
    const std::optional<qint64> tick = read(QStringLiteral("tickTime"), ServerConfig::DefaultTick);
    add("tickTime", tick);
    add("maxClientCnxns", read(QStringLiteral("maxClientCnxns"), DefaultConnections));
    add("minSessionTimeout",
        readTimeout(QStringLiteral("minSessionTimeout"), 2 * tick.value_or(ServerConfig::DefaultTick)));
    add("maxSessionTimeout",
        readTimeout(QStringLiteral("maxSessionTimeout"), 20 * tick.value_or(ServerConfig::DefaultTick)));
    for (const Member &member : members.all)
        text += member.line().toUtf8() + '\n';
    return text;
}

// The places where the files set what a finding about their numbers speaks of.
QString placesOf(const std::vector<ServerConfig> &configs, const QString &subject)
{
    const bool isSession = subject == u"session time-outs";
    const QString first = isSession ? QStringLiteral("minSessionTimeout") : subject;
    QStringList places;
    for (const ServerConfig &config : configs)
        places += config.placeOf(isSession && !config.find(first) ? QStringLiteral("maxSessionTimeout") : first);
    places.removeDuplicates();
    return places.join(QStringLiteral(", "));
}

// A value that is no number is another finding.
Findings withoutUnknown(Findings findings)
{
    findings.removeIf([](const Finding &finding) { return finding.level == Level::Unknown; });
    return findings;
}

Findings checkTogether(const std::vector<ServerConfig> &configs, std::chrono::milliseconds sessionTimeout)
{
    EnsembleView view{{}, {}, sessionTimeout};
    bool haveMembers = true;
    for (const ServerConfig &config : configs) {
        const Members members = membersOf(config);
        haveMembers = haveMembers && !members.areElsewhere && !members.areGrouped;
        zk::ServerReport report;
        report.role = members.isEnsemble() ? Role::Follower : Role::Standalone;
        report.answers.emplace("conf", confOf(config, members));
        view.reports.push_back(std::move(report));
    }
    Findings findings = haveMembers ? checkStatedMembers(view) : Findings();
    for (Finding &finding : withoutUnknown(checkStatedNumbers(view))) {
        finding.place = placesOf(configs, finding.subject);
        findings.append(finding);
    }
    return findings;
}

// Adds what another file may have said before.
void merge(Findings &all, const Findings &others)
{
    for (const Finding &other : others) {
        const auto same = std::find_if(all.begin(), all.end(), [&](Finding each) {
            each.place = other.place;
            return each == other;
        });
        if (same == all.end())
            all.append(other);
        else if (!same->place.split(QStringLiteral(", ")).contains(other.place))
            same->place += QStringLiteral(", ") + other.place;
    }
}

} // namespace

Findings checkServerConfigs(const std::vector<ServerConfig> &configs, std::chrono::milliseconds sessionTimeout)
{
    Findings findings = checkTogether(configs, sessionTimeout);
    for (const ServerConfig &config : configs) {
        merge(findings, checkMembers(config));
        merge(findings, checkSettings(config));
        merge(findings, checkKeys(config));
    }
    return findings;
}

} // namespace drover::app
