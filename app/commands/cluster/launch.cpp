#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/launch/launcher.h"

namespace drover::app {

namespace {

using namespace std::chrono_literals;
using std::chrono::duration_cast;
using std::chrono::seconds;

async::Task<int> launchAll(Context &context)
{
    const QString verb = context.arguments().at(1).isEmpty() ? QStringLiteral("start") : context.arguments().at(1);
    context.requireRole(); // before anything is done on a machine
    const HostsFile file = HostsFile::read(context.arguments().at(0), context.settings().connect);
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
