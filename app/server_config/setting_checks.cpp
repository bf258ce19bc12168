#include "app/doctor/ensemble_checks.h"
#include "app/doctor/trust_checks.h"
#include "app/server_config/config_checks.h"
#include "zk/server/server_settings.h"

#include <QDir>
#include <QFile>

#include <sys/stat.h>

namespace drover::app {

using Level = Finding::Level;

namespace {

constexpr int LeastSnapshots = 3; // ZooKeeper keeps as many in any case
constexpr int AdminPort = 8080;

const QString DataDir = QStringLiteral("dataDir");
const QString LogDir = QStringLiteral("dataLogDir");

Finding aboutPurge(const ServerConfig &config)
{
    const QString subject = QStringLiteral("autopurge");
    const QString key = QStringLiteral("autopurge.purgeInterval");
    const QString place = config.placeOf(key);
    const int hours = config.number(key).value_or(0);
    const int snapshots = config.number(QStringLiteral("autopurge.snapRetainCount")).value_or(LeastSnapshots);
    if (hours <= 0)
        return {Level::Warning, subject,
                QStringLiteral("purgeInterval is %1: old snapshots and logs stay until the disk is full")
                    .arg(config.find(key) ? QStringLiteral("0") : QStringLiteral("not set")),
                changeOnEachServer(QStringLiteral("set ") + adviceOnPurge()), place};
    return {Level::Ok,
            subject,
            QStringLiteral("every %1 h, and %2 snapshots stay").arg(hours).arg(std::max(LeastSnapshots, snapshots)),
            {},
            place};
}

Finding aboutLargest(const ServerConfig &config)
{
    const QString subject = QStringLiteral("jute.maxbuffer");
    for (const QString &key : {subject, QStringLiteral("zookeeper.jute.maxbuffer")}) {
        if (config.find(key))
            return {Level::Warning, key,
                    QStringLiteral("does nothing here, because ZooKeeper reads it from a flag of Java alone"),
                    QStringLiteral("delete the line: Drover needs no more than the default, 1 MiB. If others do, start "
                                   "all servers with -Djute.maxbuffer=BYTES (in SERVER_JVMFLAGS)"),
                    config.placeOf(key)};
    }
    return {Level::Ok,
            subject,
            QStringLiteral("1 MiB, unless the servers start with -Djute.maxbuffer"),
            {},
            config.placeOf(subject)};
}

Finding aboutAllowedWords(const ServerConfig &config)
{
    const zk::ServerSetting wanted = zk::setting("4lw.commands.whitelist");
    const QString key = QLatin1String(wanted.key);
    QStringList allowed{QStringLiteral("srvr")}; // in any case
    for (const QString &word : config.value(key).split(u','))
        allowed += word.trimmed();
    QStringList missing;
    for (const QString &word : QString(QLatin1String(wanted.value)).split(u',')) {
        if (!allowed.contains(word) && !allowed.contains(u"*"))
            missing += word;
    }
    const QString place = config.placeOf(key);
    if (missing.isEmpty())
        return {Level::Ok, key, QStringLiteral("srvr, mntr and conf are answered"), {}, place};
    return {Level::Warning, key, QStringLiteral("lacks %1").arg(missing.join(QStringLiteral(", "))),
            changeOnEachServer(
                QStringLiteral("set %1, with which drover cluster check asks a server that runs").arg(wanted.line())),
            place};
}

bool isIn(const QString &folder, const QString &path)
{
    return path == folder || path.startsWith(folder + u'/');
}

bool isVolatile(const QString &path)
{
    for (const char *const folder : {"/tmp", "/run", "/var/run", "/dev/shm"}) {
        if (isIn(QLatin1String(folder), path))
            return true;
    }
    return false;
}

QString adviceOnMoving()
{
    return QStringLiteral("stop the server, move the folder to %1, set that, and start it again")
        .arg(QLatin1String(ServerConfig::UsualDataDir));
}

Finding aboutFolder(const ServerConfig &config, const QString &key)
{
    const QString path = QDir::cleanPath(config.value(key));
    const QString place = config.placeOf(key);
    if (path.isEmpty())
        return {Level::Problem, key, QStringLiteral("is not set: ZooKeeper does not start without"),
                QStringLiteral("set dataDir=%1").arg(QLatin1String(ServerConfig::UsualDataDir)), place};
    if (isVolatile(path))
        return {Level::Problem, key,
                QStringLiteral("%1: the system deletes what is there, at its next start at the latest, and with it all "
                               "jobs")
                    .arg(shortened(path)),
                adviceOnMoving(), place};
    if (isIn(QStringLiteral("/var/tmp"), path))
        return {Level::Warning, key,
                QStringLiteral("%1: programs that clean such folders delete what is old there, and with it jobs")
                    .arg(shortened(path)),
                adviceOnMoving(), place};
    if (QDir::isRelativePath(path))
        return {Level::Warning, key,
                QStringLiteral("%1 is in the folder where the server is started").arg(shortened(path)),
                QStringLiteral("write the whole path: started elsewhere, the server has no data"), place};
    return {Level::Ok, key, shortened(path), {}, place};
}

// Only where both are: the configuration may be another machine's.
bool areOnOneDisk(const QString &one, const QString &other)
{
    struct ::stat first {
    };
    struct ::stat second {
    };
    return ::stat(QFile::encodeName(one).constData(), &first) == 0
        && ::stat(QFile::encodeName(other).constData(), &second) == 0 && first.st_dev == second.st_dev;
}

Finding aboutLog(const ServerConfig &config)
{
    const QString data = QDir::cleanPath(config.value(DataDir));
    const QString log = QDir::cleanPath(config.value(LogDir));
    const QString place = config.placeOf(LogDir);
    if (log.isEmpty() || log == data)
        return {Level::Ok, LogDir, QStringLiteral("dataDir, so that log and snapshots share a disk"), {}, place};
    Finding finding = aboutFolder(config, LogDir);
    if (finding.level != Level::Ok)
        return finding;
    const bool isInside = log.startsWith(data + u'/');
    if (!isInside && !areOnOneDisk(log, data))
        return finding;
    return {
        Level::Warning, LogDir,
        QStringLiteral("%1 is %2, and each write waits for the log alone")
            .arg(shortened(log), isInside ? QStringLiteral("in dataDir") : QStringLiteral("on the disk of dataDir")),
        QStringLiteral("give the log a disk of its own if you can, or leave dataLogDir out"), place};
}

bool hasPort(const ServerConfig &config, const char *key)
{
    return config.number(QLatin1String(key)).value_or(0) > 0;
}

// The ports of the lines server.N count for clients, too: server.1=zk1:2888:3888;2181
bool hasPortOfMember(const ServerConfig &config)
{
    return std::any_of(config.settings().begin(), config.settings().end(), [](const ServerConfig::Setting &each) {
        return each.key == u"dynamicConfigFile" || (each.key.startsWith(u"server.") && each.value.contains(u';'));
    });
}

Finding aboutPorts(const ServerConfig &config)
{
    const QString key = QStringLiteral("clientPort");
    const QString secureKey = QStringLiteral("secureClientPort");
    const bool isPlain = hasPort(config, "clientPort") || hasPortOfMember(config);
    const bool isSecure = hasPort(config, "secureClientPort");
    const QString place = config.placeOf(isPlain || !isSecure ? key : secureKey);
    const auto factory = config.value(QStringLiteral("serverCnxnFactory"));
    if (!isPlain && !isSecure)
        return {Level::Problem, key, QStringLiteral("is not set: the server has no port for clients"),
                QStringLiteral("set clientPort=2181, or secureClientPort for TLS"), place};
    if (isSecure && !factory.contains(u"Netty"))
        return {Level::Warning, secureKey, QStringLiteral("needs another serverCnxnFactory than ZooKeeper's default"),
                QStringLiteral("set serverCnxnFactory=org.apache.zookeeper.server.NettyServerCnxnFactory, unless a "
                               "flag of Java does"),
                config.placeOf(secureKey)};
    if (isPlain && isSecure && !isLoopback(config.value(QStringLiteral("clientPortAddress"))))
        return {Level::Warning, key, QStringLiteral("serves clients without TLS beside secureClientPort"),
                QStringLiteral("delete it once each client uses TLS, or set clientPortAddress=127.0.0.1"), place};
    const QString where = isLoopback(config.value(QStringLiteral("clientPortAddress")))
        ? QStringLiteral("for this machine alone")
        : QStringLiteral("without TLS, and to be kept from other machines");
    return {Level::Ok, key, isPlain ? where : QStringLiteral("TLS only"), {}, place};
}

Finding aboutAdmin(const ServerConfig &config)
{
    const QString key = QStringLiteral("admin.enableServer");
    const QString place = config.placeOf(key);
    const int port = config.number(QStringLiteral("admin.serverPort")).value_or(AdminPort); // as ZooKeeper reads it
    if (config.value(key) == u"false") // any other word is true
        return {Level::Ok, key, QStringLiteral("false"), {}, place};
    if (isLoopback(config.value(QStringLiteral("admin.serverAddress"))))
        return {Level::Ok, key, QStringLiteral("for this machine alone"), {}, place};
    return {
        Level::Warning, key, QStringLiteral("is not false: a web server answers everybody at port %1").arg(port),
        changeOnEachServer(
            QStringLiteral("set %1, or admin.serverAddress=127.0.0.1").arg(zk::setting("admin.enableServer").line())),
        place};
}

// Settings that Drover has no use for, and that break one of its promises.
Findings aboutPromises(const ServerConfig &config)
{
    Findings findings;
    const auto breaks = [&](const char *name, const char *value, const char *what,
                            Qt::CaseSensitivity sensitivity = Qt::CaseSensitive) {
        const QString key = QLatin1String(name);
        if (config.value(key).compare(QLatin1String(value), sensitivity) == 0)
            findings.append({Level::Problem, key,
                             QStringLiteral("%1: %2").arg(QLatin1String(value), QLatin1String(what)),
                             changeOnEachServer(QStringLiteral("delete the line")), config.placeOf(key)});
    };
    breaks("skipACL", "yes", "every client may read, change and delete everything, also in a closed cluster");
    breaks("forceSync", "no", "acknowledged jobs are lost when the machine loses its power");
    if (config.flag(QStringLiteral("localSessionsEnabled"))
        && !config.flag(QStringLiteral("localSessionsUpgradingEnabled")))
        breaks("localSessionsEnabled", "true", "no worker can join, for its session may have no ephemeral nodes",
               Qt::CaseInsensitive);
    return findings;
}

} // namespace

Findings checkSettings(const ServerConfig &config)
{
    Findings findings{aboutPurge(config), aboutAllowedWords(config), aboutFolder(config, DataDir), aboutLog(config),
                      aboutPorts(config), aboutAdmin(config),        aboutLargest(config)};
    return findings + aboutPromises(config);
}

} // namespace drover::app
