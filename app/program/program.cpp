#include "app/program/program.h"

#include "app/cli/argv_text.h"
#include "app/cli/failure.h"
#include "app/cli/spare_descriptors.h"
#include "app/environment/context.h"
#include "app/environment/programs.h"
#include "app/program/command_line.h"
#include "app/program/help.h"
#include "async/or_timeout.h"
#include "async/qt_loop.h"
#include "async/task_group.h"
#include "text/printable.h"
#include "zk/error.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QLoggingCategory>
#include <QUrl>
#include <QUrlQuery>

namespace drover::app {

namespace {

int report(const std::exception_ptr &error, const QString &check = {})
{
    const Failure failure = explain(error, check);
    Output::message(failure.message);
    return failure.code;
}

// Runs one command on the event loop; a signal destroys its task. Then ends the session, whatever became of the
// command.
class Run
{
public:
    Run(const Command &command, const Arguments &arguments, const Settings &settings)
        : m_signals([this](int signal) { onSignal(signal); }),
          m_context(m_loop, m_signals, arguments, settings, needOf(command.needs, arguments)), m_command(command)
    {
    }

    int exec()
    {
        m_tasks.spawn(run());
        waitForTasks();
        m_closing = true;
        m_tasks.spawn(m_context.close());
        waitForTasks();
        return m_exitCode;
    }

private:
    async::Task<void> run()
    {
        try {
            if (m_command.runsHereFrom >= 0 && m_context.arguments().positional().size() > m_command.runsHereFrom)
                requireRunner("run a command");
            m_exitCode = co_await m_command.run(m_context);
        } catch (const zk::AccessDenied &error) {
            const QString why = m_context.whyDenied(QString::fromUtf8(error.what()).simplified());
            m_exitCode = report(std::make_exception_ptr(CommandError(ExitDenied, why)));
        } catch (...) {
            m_exitCode = report(std::current_exception(), checkOf(m_command, m_context.arguments()));
        }
    }

    void onSignal(int signal)
    {
        if (!m_closing)
            m_exitCode = ExitSignalBase + signal;
        m_tasks.cancelAll();
    }

    void waitForTasks()
    {
        QEventLoop events;
        while (!m_tasks.empty())
            events.processEvents(QEventLoop::WaitForMoreEvents);
    }

    async::QtLoop m_loop;
    UnixSignals m_signals;
    Context m_context;
    const Command &m_command;
    int m_exitCode = ExitError;
    bool m_closing = false;
    async::TaskGroup m_tasks;
};

// What the libraries log quotes text of others: it stays one line, and no terminal obeys it.
QtMessageHandler plainHandler = nullptr;

void logPrintable(QtMsgType type, const QMessageLogContext &context, const QString &text)
{
    plainHandler(type, context, text::printable(text));
}

// Other users of this machine see the command lines of its processes.
void warnOfVisiblePassword(const Settings &settings)
{
    const QUrl history(settings.history);
    if (settings.historySource == u"--history"
        && (!history.password().isEmpty() || QUrlQuery(history).hasQueryItem(QStringLiteral("password"))))
        Output::message(QStringLiteral("other users of this machine see the password in --history: put it into "
                                       "~/.pgpass, or name the place in DROVER_HISTORY or a configuration file"));
}

int run(const QStringList &arguments)
{
    try {
        const CommandLine line = CommandLine::parse(arguments);
        if (line.kind == CommandLine::Kind::Command) {
            Settings settings = Settings::collect(*line.arguments, line.command->takesCredentialsOfInput);
            warnOfVisiblePassword(settings);
            return Run(*line.command, *line.arguments, std::move(settings)).exec();
        }
        if (line.kind == CommandLine::Kind::Companion)
            becomeProgram(line.companion->file, arguments);
        const Output out(Format::Table);
        if (line.kind == CommandLine::Kind::Version)
            out.line(QStringLiteral("drover " DROVER_VERSION));
        else if (!line.group.isEmpty())
            out.bytes(groupHelpText(line.group).toUtf8());
        else
            out.bytes((line.command ? helpText(*line.command) : helpText()).toUtf8());
        return ExitOk;
    } catch (...) {
        return report(std::current_exception());
    }
}

} // namespace

int runProgram(int argc, char **argv, QList<CommandGroup> commands)
{
    openStandardDescriptors();
    if (!hasSpareDescriptors())
        return ExitError;
    QCoreApplication application(argc, argv);
    QCoreApplication::setApplicationName(QStringLiteral("drover"));
    QCoreApplication::setApplicationVersion(QStringLiteral(DROVER_VERSION));
    // Categories tell what the libraries see; a user wants to know what concerns the command. QT_LOGGING_RULES has the
    // last word. A session that this process has kept waiting is its own matter as long as it lives; of one that is
    // lost the command tells.
    QLoggingCategory::setFilterRules(
        QStringLiteral("drover.*.debug=false\ndrover.*.info=false\ndrover.zk.session.warning=false"));
    plainHandler = qInstallMessageHandler(logPrintable);
    qSetMessagePattern(QStringLiteral("drover: %{message}"));
    setCommandGroups(std::move(commands));
    // Not QCoreApplication::arguments(), which are other words where they are not UTF-8.
    QStringList typed;
    for (int i = 0; i < argc; ++i)
        typed.append(argvText(argv[i]));
    return run(typed);
}

} // namespace drover::app
