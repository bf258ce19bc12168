#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/demo/demo_run.h"
#include "app/environment/child_process.h"
#include "app/environment/context.h"
#include "text/printable.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QTemporaryDir>

namespace drover::app {

namespace {

constexpr const char *DefaultDirectory = "/usr/share/common-licenses"; // on every Debian

// The story as it happens: on standard output, or beside the one object of -o json on standard error.
class Story
{
public:
    explicit Story(bool isData) : m_file(isData ? stdout : stderr) { m_clock.start(); }

    void say(const QString &text) const
    {
        const double seconds = static_cast<double>(m_clock.elapsed()) / 1000;
        const QString line = QStringLiteral("%1 s  %2\n").arg(seconds, 7, 'f', 2).arg(text::printable(text));
        std::fputs(line.toUtf8().constData(), m_file);
        std::fflush(m_file);
    }

private:
    std::FILE *m_file;
    QElapsedTimer m_clock;
};

bool hasDisplay()
{
    return qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
}

// drover-console on the demo's cluster; null if it is not wanted or not there.
std::unique_ptr<ChildProcess> openConsole(const Arguments &arguments, bool isTable, const DemoRun &demo,
                                          const QString &directory)
{
    const bool asked = arguments.has("console");
    if (!asked && (!hasDisplay() || !isTable))
        return nullptr;
    const QString program = QCoreApplication::applicationDirPath() + QStringLiteral("/drover-console");
    auto console = std::make_unique<ChildProcess>();
    console->setLogFile(directory + QStringLiteral("/console.log"));
    const QString trouble = QFileInfo::exists(program)
        ? console->start(program,
                         {QStringLiteral("--connect"), demo.connectString(), QStringLiteral("--cluster"),
                          QString::fromLatin1(demo.layout().clusterName())})
        : QStringLiteral("it is not installed there");
    if (trouble.isEmpty())
        return console;
    if (asked)
        throw CommandError(ExitError, QStringLiteral("cannot open %1: %2; leave out --console").arg(program, trouble));
    return nullptr;
}

InputFiles inputOf(const Arguments &arguments)
{
    return listInput(arguments.positional().isEmpty() ? QLatin1String(DefaultDirectory) : arguments.at(0));
}

QString described(const InputFiles &input)
{
    QString text = QStringLiteral("%1 files in %2").arg(input.files.size()).arg(input.root);
    if (input.links > 0)
        text += QStringLiteral(", reached by %1 links as well").arg(input.links);
    if (input.unreadable > 0)
        text += QStringLiteral("; %1 that cannot be read are left out").arg(input.unreadable);
    return text;
}

async::Task<int> run(Context &context)
{
    const Arguments &arguments = context.arguments();
    const bool json = !context.out().isTable();
    const InputFiles input = inputOf(arguments);
    const auto workers = static_cast<int>(arguments.integer("workers", 2, 32, 3));
    QTemporaryDir directory;
    if (!directory.isValid())
        throw CommandError(ExitError,
                           QStringLiteral("cannot make a temporary directory: %1").arg(directory.errorString()));
    directory.setAutoRemove(!arguments.has("keep"));

    const Story story(!json);
    story.say(described(input));
    DemoRun demo(context.loop(), input, workers, directory.path(), [&story](const QString &text) { story.say(text); });
    co_await demo.start();
    const std::unique_ptr<ChildProcess> console = openConsole(arguments, !json, demo, directory.path());
    const DemoResult result = co_await demo.run();
    if (arguments.has("keep"))
        story.say(QStringLiteral("kept: the report, the output of the jobs and ZooKeeper's data in %1")
                      .arg(directory.path()));
    if (console && console->running()) {
        story.say(QStringLiteral("the console is open on this cluster: the demo ends when its window is closed"));
        co_await console->ended();
    }
    co_await demo.stop();
    story.say(QStringLiteral("%1: %2 jobs on %3 workers in %4 s, %5 jobs/s; %6 lost, %7 repeated, %8 run again")
                  .arg(result.ok ? QStringLiteral("ok") : QStringLiteral("FAILED"))
                  .arg(result.jobs)
                  .arg(result.workers)
                  .arg(result.seconds, 0, 'f', 2)
                  .arg(result.perSecond, 0, 'f', 1)
                  .arg(result.lost)
                  .arg(result.repeated)
                  .arg(result.rerun));
    if (json)
        context.out().document(result.json());
    co_return result.ok ? ExitOk : ExitError;
}

} // namespace

Command demo()
{
    return {.name = "demo",
            .synopsis = "[OPTIONS] [DIR]",
            .summary = "Count the words of files on a private cluster, and kill its master",
            .details =
                "Starts a private ZooKeeper and workers, submits one job for each file of DIR (default: the licence "
                "texts that Debian ships), kills the worker that is master half way, and compares the report that the "
                "jobs wrote under a distributed lock with a plain count. Nothing is left running.",
            .options = {option("workers", "how many (default: 3)", "N"),
                        option("console", "open the console on the cluster (as is done when there is a display)"),
                        option("keep", "keep the files that were made, and say where they are")},
            .takes = {{CompletionKind::Directory}},
            .argumentCount = {0, 1},
            .examples = {"drover demo", "drover demo /usr/share/doc --workers 5"},
            .run = run};
}

} // namespace drover::app
