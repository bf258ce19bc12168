#include "app/cli/nearest.h"
#include "app/server_config/config_checks.h"

#include <limits>
#include <set>

namespace drover::app {

using Level = Finding::Level;

namespace {

constexpr int Least = std::numeric_limits<int>::min();
constexpr int Most = std::numeric_limits<int>::max();

struct NumberKey {
    const char *name;
    int least = Least;
    int most = Most;
};

// With what ZooKeeper starts, however odd.
constexpr NumberKey NumberKeys[]{
    {"tickTime", 1, Most},
    {"initLimit"},
    {"syncLimit"},
    {"maxClientCnxns"},
    {"minSessionTimeout"},
    {"maxSessionTimeout"},
    {"clientPort", 0, 65535},
    {"secureClientPort", 0, 65535},
    {"autopurge.purgeInterval"},
    {"autopurge.snapRetainCount"},
};

constexpr const char *FlagKeys[]{
    "quorumListenOnAllIPs",          "standaloneEnabled", "reconfigEnabled", "localSessionsEnabled",
    "localSessionsUpgradingEnabled", "sslQuorum"};

constexpr const char *OtherKeys[]{"dataDir",
                                  "dataLogDir",
                                  "clientPortAddress",
                                  "secureClientPortAddress",
                                  "db.autocreate",
                                  "forceSnapshotSync",
                                  "4lw.commands.whitelist",
                                  "admin.enableServer",
                                  "admin.serverAddress",
                                  "admin.serverPort",
                                  "extendedTypesEnabled",
                                  "skipACL",
                                  "forceSync",
                                  "serverCnxnFactory",
                                  "dynamicConfigFile",
                                  "jute.maxbuffer",
                                  "snapCount"};

QStringList judgedKeys()
{
    QStringList keys;
    for (const NumberKey &each : NumberKeys)
        keys += QLatin1String(each.name);
    for (const char *const each : FlagKeys)
        keys += QLatin1String(each);
    for (const char *const each : OtherKeys)
        keys += QLatin1String(each);
    return keys;
}

Finding unreadable(const ServerConfig &config, const ServerConfig::Setting &setting, const QString &wanted)
{
    return {Level::Problem, setting.key,
            QStringLiteral("\"%1\": ZooKeeper does not start with it").arg(shortened(setting.value)),
            setting.value.contains(u'#') ? QStringLiteral("give the comment a line of its own")
                                         : QStringLiteral("write %1").arg(wanted),
            config.placeOf(setting)};
}

Findings checkNumbers(const ServerConfig &config)
{
    Findings findings;
    for (const NumberKey &each : NumberKeys) {
        const ServerConfig::Setting *const setting = config.find(QLatin1String(each.name));
        const std::optional<int> value = setting ? config.number(setting->key) : std::nullopt;
        if (!setting || (value && *value >= each.least && *value <= each.most))
            continue;
        const QString range = each.most < Most
            ? QStringLiteral("a number of %1 to %2").arg(each.least).arg(each.most)
            : QStringLiteral("a whole number") + (each.least > Least ? QStringLiteral(", not 0") : QString());
        findings.append(unreadable(config, *setting, range));
    }
    const std::optional<int> least = config.number(QStringLiteral("minSessionTimeout"));
    const std::optional<int> most = config.number(QStringLiteral("maxSessionTimeout"));
    if (least && most && *least > *most)
        findings.append({Level::Problem, QStringLiteral("minSessionTimeout"),
                         QStringLiteral("is more than maxSessionTimeout: ZooKeeper does not start with it"),
                         QStringLiteral("leave both out"), config.placeOf(QStringLiteral("minSessionTimeout"))});
    return findings;
}

Findings checkFlags(const ServerConfig &config)
{
    Findings findings;
    for (const char *const name : FlagKeys) {
        const ServerConfig::Setting *const setting = config.find(QLatin1String(name));
        if (setting && !config.flag(setting->key) && setting->value.compare(u"false", Qt::CaseInsensitive) != 0)
            findings.append(unreadable(config, *setting, QStringLiteral("true or false")));
    }
    return findings;
}

Findings checkNames(const ServerConfig &config)
{
    static const QStringList Known = judgedKeys();
    Findings findings;
    for (const ServerConfig::Setting &each : config.settings()) {
        const QString place = config.placeOf(each);
        if (each.key.startsWith(u"zookeeper.") && each.key != u"zookeeper.jute.maxbuffer") {
            findings.append({Level::Warning, each.key,
                             QStringLiteral("does nothing, because ZooKeeper writes \"zookeeper.\" before each key"),
                             QStringLiteral("write %1").arg(each.key.sliced(each.key.indexOf(u'.') + 1)), place});
        } else if (!Known.contains(each.key)) {
            const QStringList meant = nearest(each.key, Known);
            if (!meant.isEmpty())
                findings.append({Level::Warning, each.key, QStringLiteral("ZooKeeper knows no such key"),
                                 QStringLiteral("did you mean %1?").arg(meant.first()), place});
        }
    }
    return findings;
}

// Twice is a mistake also with the same value: one of the two will be changed. Servers have a check of their own.
Findings checkRepeated(const ServerConfig &config)
{
    Findings findings;
    std::set<QString> seen;
    for (const ServerConfig::Setting &each : config.settings()) {
        if (!seen.insert(each.key).second && !each.key.startsWith(u"server."))
            findings.append({Level::Warning, each.key, QStringLiteral("is there twice, and the last counts"),
                             QStringLiteral("delete one"), config.placeOf(each)});
    }
    return findings;
}

} // namespace

Findings checkKeys(const ServerConfig &config)
{
    return checkNumbers(config) + checkFlags(config) + checkNames(config) + checkRepeated(config);
}

} // namespace drover::app
