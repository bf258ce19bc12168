#include "app/program.h"

#include "app/command_line.h"
#include "app/context.h"
#include "app/failure.h"
#include "app/guarded_command.h"
#include "app/help.h"
#include "async/or_timeout.h"
#include "async/qt_loop.h"
#include "async/task_group.h"

#include <QEventLoop>

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
        : m_signals([this](int signal) { onSignal(signal); }), m_context(m_loop, m_signals, arguments, settings),
          m_command(command)
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
                GuardedCommand::requireGuard();
            m_exitCode = co_await m_command.run(m_context);
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

} // namespace

int runProgram(const QStringList &arguments)
{
    try {
        const CommandLine line = CommandLine::parse(arguments);
        if (line.kind == CommandLine::Kind::Command)
            return Run(*line.command, *line.arguments, Settings::collect(*line.arguments)).exec();
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

} // namespace drover::app
