#include "app/cli/failure.h"
#include "app/cli/sentence.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/server_config/prepared_configs.h"
#include "app/server_config/server_config.h"

#include <QDir>
#include <QSaveFile>

namespace drover::app {

namespace {

const QString Installed = QStringLiteral("/etc/zookeeper/conf"); // where Debian's package reads zoo.cfg

zk::ServerList serversIn(const QStringList &words)
{
    const QString all = words.join(u',');
    if (all.contains(u'/'))
        throw UsageError(QStringLiteral("\"%1\": name the servers without a path").arg(all));
    try {
        return zk::parseConnectString(all);
    } catch (const zk::InvalidConnectString &error) {
        throw UsageError(QString::fromUtf8(error.what()));
    }
}

QString connectString(const std::vector<PreparedServer> &servers)
{
    QStringList addresses;
    for (const PreparedServer &each : servers)
        addresses.append(each.address.toString());
    return addresses.join(u',');
}

QString pathIn(const QDir &directory, const QString &name)
{
    return QDir::cleanPath(directory.filePath(name)); // without "./"
}

void requireNoOther(const QString &path, const QByteArray &text)
{
    QFile file(path);
    if (!file.exists())
        return;
    if (!file.open(QIODevice::ReadOnly) || file.read(ServerConfig::MostBytes) != text)
        throw CommandError(ExitWrongState,
                           QStringLiteral("%1 is there already and says something else: move it away, or name another "
                                          "folder by --dir")
                               .arg(path));
}

void write(const QString &path, const QByteArray &text)
{
    const QString folder = QFileInfo(path).path();
    if (!QDir().mkpath(folder))
        throw CommandError(ExitError, QStringLiteral("cannot make the directory %1").arg(folder));
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size() || !file.commit())
        throw CommandError(ExitError, QStringLiteral("cannot write %1: %2").arg(path, file.errorString()));
}

// All are looked at before the first is written. A call that broke off can be repeated.
void writeAll(const QDir &directory, const std::vector<PreparedServer> &servers)
{
    for (const auto step : {&requireNoOther, &write}) {
        for (const PreparedServer &server : servers) {
            for (const auto &[name, text] : server.files)
                step(pathIn(directory, server.folder + u'/' + name), text);
        }
    }
}

void tell(const Output &out, const QDir &directory, const QString &dataDir, const std::vector<PreparedServer> &servers)
{
    const QString connect = connectString(servers);
    const bool isEnsemble = servers.size() > 1;
    QStringList folders;
    QList<QJsonObject> rows;
    for (const PreparedServer &each : servers) {
        const QString folder = pathIn(directory, each.folder);
        folders.append(folder);
        rows.append({{QStringLiteral("server"), each.address.toString()},
                     {QStringLiteral("file"), folder + QStringLiteral("/zoo.cfg")}});
    }
    if (!out.isTable())
        return out.list("servers", {}, rows, {{QStringLiteral("connect"), connect}});
    const QString all = isEnsemble ? QStringLiteral("all servers; only they may reach each other's ports 2888 and 3888")
                                   : QStringLiteral("the server");
    printSentence(out,
                  QStringLiteral("%1: %2").arg(folders.join(QStringLiteral(", ")),
                                               isEnsemble
                                                   ? QStringLiteral("zoo.cfg, myid and initialize of each server")
                                                   : QStringLiteral("zoo.cfg")));
    printSentence(out,
                  QStringLiteral("next: copy zoo.cfg to %1 of its machine").arg(Installed)
                      + (isEnsemble ? QStringLiteral(", and the two others to %1").arg(dataDir) : QString()));
    const QStringList lines{
        QStringLiteral("      restart ") + all,
        QStringLiteral("      drover cluster check --connect ") + connect,
        QStringLiteral("      drover cluster init --connect ") + connect,
    };
    for (const QString &line : lines)
        out.line(line);
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    const QString dataDir =
        arguments.has("data-dir") ? arguments.value("data-dir") : QString(QLatin1String(ServerConfig::UsualDataDir));
    const PreparedEnsemble prepared =
        prepareEnsemble(serversIn(arguments.positional()), dataDir, Context::DefaultSessionTimeout);
    const QDir directory(arguments.value("dir"));
    writeAll(directory, prepared.servers);
    for (const Finding &each : prepared.warnings)
        Output::message(QStringLiteral("%1: %2").arg(each.subject, each.what));
    tell(context.out(), directory, dataDir, prepared.servers);
    co_return ExitOk;
}

} // namespace

Command clusterPrepare()
{
    return {.name = "cluster prepare",
            .synopsis = "[OPTIONS] SERVER...",
            .summary = "Write the configuration of new ZooKeeper servers: zoo.cfg and what belongs to it",
            .details =
                "SERVER is HOST or HOST:PORT, as clients and the other servers reach it; the port for clients is 2181 "
                "if none is said. Three servers go on when one fails, and five when two fail. An even number helps no "
                "more than one less. Each server gets a folder with its host's name. In it is a zoo.cfg in which "
                "drover cluster check finds nothing to change. For several servers there are also myid, the number of "
                "the server, and initialize. Copy both into the server's data directory. initialize is an empty file "
                "that a new ensemble needs at its first start. Never copy it to a server that has lost its data. The "
                "servers reach each other at the ports 2888 and 3888. Keep those from all other machines. No server is "
                "asked. A file that is there already has to be the same, or nothing is written.",
            .options = {option("dir", "where the folders are made (default: the current one)", "DIR"),
                        option("data-dir", "where the servers keep their data (default: /var/lib/zookeeper)", "DIR")},
            .takes = {{CompletionKind::None}},
            .argumentCount = {1, Command::Unlimited},
            .examples = {"drover cluster prepare zk1 zk2 zk3",
                         "drover cluster prepare --dir servers --data-dir /srv/zookeeper zk1:2182"},
            .exits = {{"2", "a name cannot be a host's, is there twice, or such a server would not start or serve"},
                      {"4", "a file is there already and says something else"}},
            .run = execute};
}

} // namespace drover::app
