#include "app/cli/failure.h"
#include "app/cli/sentence.h"
#include "app/cluster/local_cluster.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/environment/directories.h"
#include "app/environment/programs.h"
#include "app/environment/up_state.h"
#include "async/event.h"
#include "async/first_of.h"
#include "async/or_timeout.h"
#include "history/location.h"
#include "posix/held_process.h"
#include "posix/process.h"
#include "recipes/elections/group.h"
#include "text/quantity.h"
#include "zk/client/connect_string.h"
#include "zk/client/session.h"

#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QThread>

#include <sys/stat.h>
#include <unistd.h>

namespace drover::app {

namespace {

using namespace std::chrono_literals;

const QString Stopping = QStringLiteral("stopping; press Ctrl-C again to stop at once");

constexpr auto StartLimit = 90s;

int serversFrom(const Arguments &arguments)
{
    const QString folder = LocalCluster::serversFolder();
    const std::optional<int> present = LocalServers::countIn(folder);
    const auto count = static_cast<int>(arguments.integer("servers", 1, LocalServers::Most, present.value_or(1)));
    if (count % 2 == 0)
        throw UsageError(QStringLiteral("--servers: %1 must be 1, 3 or 5; as many of %1 may fail as of %2")
                             .arg(count)
                             .arg(count - 1));
    if (present && *present != count)
        throw CommandError(ExitWrongState,
                           QStringLiteral("%1 has the data of %2, and their number stays: leave --servers out, or "
                                          "start another cluster in a new directory with XDG_DATA_HOME")
                               .arg(folder, text::formatCount(*present, "server", "servers")));
    return count;
}

LocalClusterOptions optionsFrom(const Context &context)
{
    const Arguments &arguments = context.arguments();
    LocalClusterOptions options;
    options.workers = static_cast<int>(arguments.integer("workers", 1, 100, options.workers));
    const int share = std::max(1, (QThread::idealThreadCount() + options.workers - 1) / options.workers);
    options.slotsPerWorker = static_cast<int>(arguments.integer("slots", 1, 10'000, share));
    options.servers = serversFrom(arguments);
    options.port = static_cast<quint16>(arguments.integer("port", 1, 65536 - options.servers, 0));
    options.allowSetuid = arguments.has("allow-setuid");
    options.cluster = context.settings().cluster;
    options.open = arguments.has("open");
    options.history = context.settings().historySource.isEmpty() ? defaultHistoryFile() : context.settings().history;
    if (!options.history.isEmpty())
        history::Location::parse(options.history); // says at once what would be wrong
    return options;
}

// `message` has places for the worker, the reason and the log.
CommandError doesNotJoin(const LocalCluster &local, int worker, const QString &message)
{
    return {ExitError,
            message.arg(LocalCluster::workerId(worker), local.reasonOf(worker), LocalCluster::logFile(worker))};
}

// Makes the cluster, and returns when all workers are in it. Throws CommandError for a worker that ends again and
// again. `missing` outlives it: the first worker that is not in it.
async::Task<void> awaitWorkers(async::Loop &loop, const LocalCluster &local, jobs::Layout layout, int count,
                               int &missing)
{
    zk::Session session(loop, {.servers = local.connectString(), .access = local.access()});
    session.open();
    co_await session.connected();
    const QByteArrayList queues(1, QByteArrayLiteral("default"));
    co_await jobs::ensureCluster(jobs::Cluster(session, layout), queues);
    recipes::Group members(session, layout.members());
    for (;;) {
        const std::vector<recipes::Member> present = co_await members.members();
        const QByteArrayList ids = recipes::idsOf(present);
        missing = 0;
        while (missing < count && ids.contains(LocalCluster::workerId(missing).toLatin1()))
            ++missing;
        if (missing == count)
            break;
        if (const std::optional<int> failing = local.failingWorker())
            throw doesNotJoin(local, *failing, QStringLiteral("worker %1 does not start: %2; more in %3"));
        co_await async::sleepFor(loop, 50ms);
    }
    co_await session.close();
}

// Commands that are configured for another cluster do not find this one.
void warnOfAnotherCluster(const Settings &settings, const QString &connect)
{
    if (settings.connectSource.isEmpty() || settings.isOfUp() || settings.connect == connect)
        return;
    Output::message(QStringLiteral("every command goes to another cluster, %1, which is named by %2; for this one say "
                                   "--connect %3")
                        .arg(settings.connect, settings.connectSource, connect));
}

// What another machine joins by. The servers listen on loopback alone, so a tunnel takes the worker there to them, and
// the readers of its output to the worker. An open cluster would be open to all users of that machine, too.
QStringList linesForOtherMachines(const LocalClusterOptions &options, const QString &connect, bool isUsual)
{
    const QString many =
        QStringLiteral("for many machines: a ZooKeeper that all reach, and drover launch FILE --connect "
                       "HOST:2181");
    if (options.open)
        return {QStringLiteral("it is of this machine alone; ") + many};
    const QString cluster = QString::fromLatin1(options.cluster);
    const QString ofCluster = cluster == u"default" ? QString() : QStringLiteral(" --cluster ") + cluster;
    QString tunnels;
    for (const zk::ServerAddress &server : zk::parseConnectString(connect))
        tunnels += QStringLiteral(" -R %1:127.0.0.1:%1").arg(server.port);
    return {
        QStringLiteral("another machine with drover joins by these lines, typed here; HOST is its name for ssh, of a "
                       "user who is not root:"),
        QStringLiteral("  drover worker add second --root-key '%1/%2.root.key'%3%4")
            .arg(trustDirectory(), cluster, ofCluster, isUsual ? QString() : QStringLiteral(" --connect ") + connect),
        QStringLiteral("  scp second.drover HOST:"),
        QStringLiteral("  ssh -t -o ExitOnForwardFailure=yes%1 -L 9182:127.0.0.1:9182 HOST drover worker --connect %2 "
                       "--credentials second.drover --id second --listen 127.0.0.1:9182%3")
            .arg(tunnels, connect, ofCluster),
        QStringLiteral("a third one has another name than second and another port than 9182; ") + many};
}

void tell(const Context &context, const LocalClusterOptions &options, const QString &connect, qint64 pid, bool detached)
{
    if (options.open)
        Output::message(QStringLiteral("cluster %1 is open: all users of this machine can run commands as you")
                            .arg(QString::fromLatin1(options.cluster)));
    if (!context.out().isTable()) {
        context.out().object({},
                             {{QStringLiteral("connect"), connect},
                              {QStringLiteral("pid"), pid},
                              {QStringLiteral("cluster"), QString::fromLatin1(options.cluster)},
                              {QStringLiteral("server_count"), options.servers},
                              {QStringLiteral("worker_count"), options.workers},
                              {QStringLiteral("slots"), options.slotsPerWorker}});
        return;
    }
    const QString servers = options.servers == 1 ? QStringLiteral("ZooKeeper")
                                                 : QStringLiteral("%1 ZooKeeper servers").arg(options.servers);
    printSentence(context.out(),
                  QStringLiteral("%1 at %2 and %3 of %4, cluster %5")
                      .arg(servers, connect, text::formatCount(options.workers, "worker", "workers"),
                           text::formatCount(options.slotsPerWorker, "slot", "slots"),
                           QString::fromLatin1(options.cluster)));
    printSentence(context.out(),
                  QStringLiteral("data in %1, logs and output in %2").arg(dataDirectory(), stateDirectory()));
    // Commands find it by themselves, unless they are configured for another.
    const Settings &settings = context.settings();
    const bool isFound = settings.connect == connect || settings.connectSource.isEmpty() || settings.isOfUp();
    context.out().line(QStringLiteral("next: drover run%1 -- echo hello")
                           .arg(isFound ? QString() : QStringLiteral(" --connect ") + connect));
    for (const QString &line : linesForOtherMachines(options, connect, isFound))
        context.out().line(line);
    context.out().line(detached ? QStringLiteral("drover down stops it") : QStringLiteral("Ctrl-C stops it"));
}

// Returns when the servers serve and all workers have joined. Throws what LocalCluster::startServers() throws, and
// CommandError for a worker that does not join.
async::Task<void> begin(Context &context, LocalCluster &cluster, int workers)
{
    co_await cluster.startServers();
    cluster.startWorkers();
    int missing = 0;
    try {
        co_await async::orTimeout(
            context.loop(), awaitWorkers(context.loop(), cluster, context.layout(), workers, missing), StartLimit);
    } catch (const async::Timeout &) {
        throw doesNotJoin(cluster, missing, QStringLiteral("worker %1 has not joined within 90s: %2; more in %3"));
    }
}

async::Task<int> runInForeground(Context &context)
{
    const LocalClusterOptions options = optionsFrom(context);
    UpLock upLock;
    int stopSignal = 0;
    async::Event stop;
    LocalCluster cluster(context.loop(), options);
    UnixSignals::Guard guard(context.unixSignals(), [&](int signal) {
        if (std::exchange(stopSignal, signal))
            guard.passOn(signal);
        else
            stop.set();
    });
    std::exception_ptr trouble;
    try {
        co_await async::firstOf(context.loop(), begin(context, cluster, options.workers), async::untilSet(stop));
    } catch (...) {
        trouble = std::current_exception();
    }
    if (trouble || stop.isSet()) {
        if (!trouble)
            Output::hint(Stopping);
        co_await cluster.stop();
        if (trouble)
            std::rethrow_exception(trouble);
        co_return ExitSignalBase + stopSignal;
    }
    warnOfAnotherCluster(context.settings(), cluster.connectString());
    upLock.publish({cluster.connectString(), QCoreApplication::applicationPid(), options.history});
    tell(context, options, cluster.connectString(), QCoreApplication::applicationPid(), false);
    co_await stop.wait();
    Output::hint(Stopping);
    co_await cluster.stop();
    co_return ExitOk;
}

// A process that has ended but is not yet reaped by its parent counts as ended.
bool isAlive(qint64 pid)
{
    return !posix::HeldProcess(static_cast<pid_t>(pid)).hasEnded();
}

// Starts this same command in a session of its own and waits until it serves.
async::Task<int> runDetached(Context &context)
{
    const LocalClusterOptions options = optionsFrom(context);
    {
        const UpLock free; // says at once what would be wrong with the directory or with another one running
    }
    co_await async::sleepFor(context.loop(), 20ms); // for the SIGTERM of a drover down that has just seen this process
    makeDirectory(dataDirectory());
    makeDirectory(stateDirectory());
    const QString log = stateDirectory() + QStringLiteral("/up.log");
    const qint64 logBegin = QFile(log).size();
    QProcess process;
    process.setProgram(QCoreApplication::applicationFilePath());
    QStringList arguments{QStringLiteral("up"),
                          QStringLiteral("--cluster"),
                          QString::fromLatin1(options.cluster),
                          QStringLiteral("--workers"),
                          QString::number(options.workers),
                          QStringLiteral("--slots"),
                          QString::number(options.slotsPerWorker),
                          QStringLiteral("--servers"),
                          QString::number(options.servers)};
    if (options.open)
        arguments += QStringLiteral("--open");
    if (options.port != 0)
        arguments += {QStringLiteral("--port"), QString::number(options.port)};
    if (options.allowSetuid)
        arguments.append(QStringLiteral("--allow-setuid"));
    process.setArguments(arguments);
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("DROVER_HISTORY"),
                       QString::fromLocal8Bit(LocalCluster::historyVariable(options.history)));
    process.setProcessEnvironment(environment);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardOutputFile(log, QIODevice::Append);
    process.setStandardErrorFile(log, QIODevice::Append);
    qint64 pid = 0;
    if (!process.startDetached(&pid))
        throw CommandError(ExitError,
                           QStringLiteral("cannot start %1: %2").arg(process.program(), process.errorString()));

    for (;;) {
        const std::optional<UpState> state = UpState::running();
        if (state && state->pid == pid) {
            warnOfAnotherCluster(context.settings(), state->connect);
            tell(context, options, state->connect, pid, true);
            co_return ExitOk;
        }
        if (!isAlive(pid)) {
            const QString line = lastLine(log, logBegin);
            throw CommandError(
                ExitError,
                QStringLiteral("it did not start: %1; more in %2")
                    .arg(line.isEmpty() ? QStringLiteral("it was stopped, and has said nothing") : line, log));
        }
        co_await async::sleepFor(context.loop(), 50ms);
    }
}

async::Task<int> execute(Context &context)
{
    requireRunner("run jobs"); // no worker would start
    posix::hideFromOthers(); // its jobs are of the same user
    ::umask(077); // what it makes is for its user; each worker sets its own
    return context.arguments().has("detach") ? runDetached(context) : runInForeground(context);
}

} // namespace

Command up()
{
    return {.name = "up",
            .summary = "Start a cluster on this machine: a private ZooKeeper and workers",
            .details =
                "Commands without --connect find this cluster by themselves. Its jobs and their output stay "
                "when it is stopped and are there when it is started again. Finished jobs go into a history, a file "
                "beside ZooKeeper's data unless --history names another place; drover history reads it. Only its user "
                "can use the cluster: keys that it makes at the first start are in drover/trust beside the data.",
            .options = {option("servers",
                               "ZooKeeper servers: 1, 3 or 5 (default: as before, at first 1). Of 3 one may fail, of 5 "
                               "two",
                               "N"),
                        option("workers", "number of workers (default: 3)", "N"),
                        option("slots", "jobs that each runs at a time (default: the processors shared out)", "K"),
                        option("port",
                               "ZooKeeper's port on 127.0.0.1 (default: the last one if it is free, or any); more "
                               "servers have the ports after it",
                               "PORT"),
                        option("open", "let all users of this machine run commands as you: no credentials"),
                        option("allow-setuid", "let jobs gain privileges by set-user-ID programs, such as sudo"),
                        option("detach", "return once it serves, and leave it running")},
            .examples = {"drover up", "drover up --workers 3 --slots 2 --detach", "drover up --servers 3"},
            .exits = {{"4", "a drover up runs already, or --servers is not the number of servers that there are"}},
            .run = execute};
}

} // namespace drover::app
