#include "app/program/console_command.h"

#include "app/cli/arguments.h"
#include "app/cli/command.h"
#include "app/program/help.h"
#include "app/program/manual_page.h"

namespace drover::app {

namespace {

const QString Program = QStringLiteral("drover-console");

Command console()
{
    return {.name = "console",
            .synopsis = "[OPTIONS] [FILE]",
            .summary = "The desktop of Drover: watches a cluster and submits jobs",
            .details =
                "It shows the jobs, workers, queues, locks and znodes of a cluster while they change. Jobs can be\n"
                "submitted, followed and cancelled.\n"
                "\n"
                "FILE is a job file in TOML or JSON, as for drover submit --file. The submit dialog opens with it;\n"
                "nothing is submitted before you press Submit. File managers open files named *.job.toml and\n"
                "*.job.json so.",
            .options = consoleOptions(),
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover-console --demo", "drover-console --connect zk1:2181,zk2:2181 --page jobs",
                         "drover-console --screenshot cluster.png --size 1400x900"},
            .exits = {{"0", "the window was closed, or the picture or the measurement is done"},
                      {"1", "an error: there is no display, or the picture cannot be written"},
                      {"3", "of --screenshot: there is no such cluster"},
                      {"6", "of --screenshot: ZooKeeper does not answer"}},
            .run = nullptr}; // no command of drover
}

} // namespace

QList<QCommandLineOption> consoleOptions()
{
    return {
        option("connect", "ZooKeeper servers: host:port,host:port", "SERVERS"),
        option("credentials", "file with your credentials, or none", "FILE"),
        option("cluster", "name of the cluster (default: default)", "NAME"),
        option("demo", "start a private cluster with made-up work, and look at that"),
        option("bench",
               "measure the window in NAME, and quit: start, siblings, events, locks, history, output, replay; no "
               "display is needed",
               "NAME"),
        option("scale", "with --bench: so much of its load, up to 1 (default: 1)", "SHARE"),
        option("json", "with --bench: print one JSON object"),
        option("config", "configuration file", "FILE"),
        option("theme", "system, light or dark", "THEME"),
        option("language",
               "en or zh_CN (default: that of the menu, or that of the desktop, as LANGUAGE or LANG has it)",
               "LANGUAGE"),
        option("size", "size of the window, such as 1400x900", "WxH"),
        option("page",
               "the page to show: overview, jobs, queues, workers, locks, znodes, waits, schedules, events, ensemble, "
               "replay, lab",
               "PAGE"),
        option("screenshot", "write a picture of the window to FILE (PNG) and quit; no display is needed", "FILE"),
        option("after", "with --screenshot: time to gather data first (default: 2s)", "DURATION"),
        QCommandLineOption({QStringLiteral("h"), QStringLiteral("help")}, QStringLiteral("show this help")),
        QCommandLineOption({QStringLiteral("v"), QStringLiteral("version")}, QStringLiteral("show the version")),
    };
}

QString consoleHelpText()
{
    return programHelpText(Program, console());
}

QByteArray consoleManualPage()
{
    return programPage(Program, console());
}

} // namespace drover::app
