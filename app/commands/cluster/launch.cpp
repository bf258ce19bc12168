#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/launch/launcher.h"
#include "zk/client/connect_string.h"

#include <algorithm>

namespace drover::app {

namespace {

using namespace std::chrono_literals;
using std::chrono::duration_cast;
using std::chrono::seconds;

bool areSameServers(const QString &one, const QString &other)
{
    const auto sorted = [](const QString &connect) {
        QStringList servers;
        for (const zk::ServerAddress &server : zk::parseConnectString(connect))
            servers.append(server.toString());
        servers.sort();
        return servers;
    };
    return one == other || (sorted(one) == sorted(other) && zk::chrootOf(one) == zk::chrootOf(other));
}

// This machine looks for the workers where the file says that they find ZooKeeper, whatever is configured here. If the
// hosts name different servers, it goes to those of the first one, unless it is configured for those of another. Throws
// UsageError if --connect contradicts the file.
Settings settingsFor(const HostsFile &file, const Context &context)
{
    const QString path = context.arguments().at(0);
    Settings settings = context.settings();
    if (!settings.connect.isEmpty())
        static_cast<void>(context.requireServers()); // says what is wrong with what is configured here
    bool isOfOne = false;
    for (const LaunchHost &host : file.hosts) {
        const bool isSame = !settings.connect.isEmpty() && areSameServers(host.connect, settings.connect);
        if (!isSame && settings.connectSource == u"--connect")
            throw UsageError(QStringLiteral("%1: connect of %2 is \"%3\", and --connect is %4; leave one of them out")
                                 .arg(path, host.name, host.connect, settings.connect));
        isOfOne = isOfOne || isSame;
    }
    if (!isOfOne) {
        settings.connect = file.hosts.first().connect;
        settings.connectSource = path;
    }
    return settings;
}

// A user who has no credentials of the cluster looks at it with those of the workers. Throws CommandError (Denied).
void useCredentialsOf(const HostsFile &file, Context &context)
{
    if (!context.settings().credentials.isEmpty() || context.credentials())
        return;
    const auto named = std::find_if(file.hosts.begin(), file.hosts.end(),
                                    [](const LaunchHost &host) { return !host.credentials.isEmpty(); });
    if (named == file.hosts.end())
        return;
    try {
        const auto theirs = std::make_shared<const trust::Credentials>(trust::Credentials::decode(named->credentials));
        if (theirs->cluster != context.settings().cluster)
            throw trust::BadCredentials(
                QStringLiteral("they are of cluster %1, and not of %2")
                    .arg(QString::fromUtf8(theirs->cluster), QString::fromLatin1(context.settings().cluster)));
        context.useCredentials(theirs);
    } catch (const trust::BadCredentials &error) {
        throw CommandError(ExitDenied,
                           QStringLiteral("%1: credentials of %2: %3")
                               .arg(context.arguments().at(0), named->name, QString::fromUtf8(error.what())));
    }
}

async::Task<int> launchOf(const HostsFile &file, QString verb, Context &context)
{
    Launcher::Limits limits{
        .start = std::max(1s, duration_cast<seconds>(context.arguments().duration("start-timeout", 30s))),
        .stop = std::max(1s, duration_cast<seconds>(context.arguments().duration("stop-timeout", 120s)))};
    if (context.arguments().has("drain-timeout"))
        limits.drain = context.arguments().duration("drain-timeout", 0s);
    Launcher launcher(context, file, limits);
    const int failed = co_await launcher.run(verb);
    if (launcher.signal() != 0)
        co_return ExitSignalBase + launcher.signal();
    co_return failed == 0 ? ExitOk : ExitError;
}

async::Task<int> launchAll(Context &context)
{
    const QString verb = context.arguments().at(1).isEmpty() ? QStringLiteral("start") : context.arguments().at(1);
    const HostsFile file = HostsFile::read(context.arguments().at(0), context.settings().connect);
    Context ofFile(context.loop(), context.unixSignals(), context.arguments(), settingsFor(file, context),
                   needOf(launch().needs, context.arguments()));
    if (verb == u"start" || verb == u"restart")
        useCredentialsOf(file, ofFile);
    ofFile.requireRole(); // before anything is done on a machine
    const int code = co_await launchOf(file, verb, ofFile);
    co_await ofFile.close();
    co_return code;
}

} // namespace

Command launch()
{
    return {
        .name = "launch",
        .synopsis = "[OPTIONS] FILE [start|status|stop|restart|upgrade]",
        .summary = "Run workers on the machines of a file, by ssh",
        .details =
            "FILE names the machines; /usr/share/doc/drover/examples/hosts.toml explains its keys. start, which is "
            "meant if no verb is given, copies drover and drover-runner to each machine that lacks them, writes the "
            "worker's file, and "
            "starts a worker that outlives the connection. A worker that runs already is left alone. stop lets a "
            "worker wait for its jobs as long as its grace says. restart starts it again, with the programs and "
            "the file of now. upgrade gives each worker the programs of this machine, one worker after the other: "
            "it lets the worker drain, replaces it, and waits until it has joined again, for which a closed "
            "cluster asks the role operate. If one does not come back, the others are left as they are. Otherwise all "
            "machines are worked on at once. Ctrl-C ends an upgrade and leaves no cordon; the machine where it was "
            "may then have no worker, and another upgrade goes on from there. Each has a row, and one "
            "that fails stops no other. Every verb may be repeated, also after one that was interrupted. ssh asks "
            "for no password: use keys.",
        .options = {option("start-timeout", "how long a worker may take to join the cluster (default: 30s)",
                           "DURATION"),
                    option("stop-timeout", "how long a worker may take to end (default: 2m)", "DURATION"),
                    option("drain-timeout",
                           "upgrade: how long a worker's jobs may take; it is left as it was then (default: no "
                           "limit)",
                           "DURATION")},
        .verbs = {{QStringLiteral("start"), {QStringLiteral("start-timeout")}},
                  {QStringLiteral("status"), {}},
                  {QStringLiteral("stop"), {QStringLiteral("stop-timeout")}},
                  {QStringLiteral("restart"), {QStringLiteral("start-timeout"), QStringLiteral("stop-timeout")}},
                  {QStringLiteral("upgrade"),
                   {QStringLiteral("start-timeout"), QStringLiteral("stop-timeout"), QStringLiteral("drain-timeout")}}},
        .takes = {{CompletionKind::File}},
        .argumentCount = {1, 2},
        .needs = {{std::nullopt, QStringLiteral("status")},
                  {std::nullopt, QStringLiteral("stop")},
                  {trust::Role::Viewer}},
        .examples = {"drover launch hosts.toml", "drover launch hosts.toml upgrade",
                     "drover launch hosts.toml stop --stop-timeout 10m"},
        .exits = {{"0", "all machines are as asked"}, {"1", "a machine failed: its row says why"}},
        .run = launchAll};
}

} // namespace drover::app
