#include "gui/launch/launch_run.h"

#include "text/printable.h"

#include <QJsonDocument>

#include <csignal>
#include <tuple>

namespace drover::gui {

namespace {

constexpr int SignalBase = 128; // of exit codes: 128 + n for signal n
constexpr qsizetype LongestComplaint = 2000; // letters

} // namespace

LaunchRun::LaunchRun(QObject *parent) : QObject(parent), m_process(new QProcess)
{
    connect(m_process.get(), &QProcess::readyReadStandardOutput, this, &LaunchRun::read);
    connect(m_process.get(), &QProcess::finished, this, &LaunchRun::end);
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            Q_EMIT ended(End::Bad, tr("cannot run %1: %2").arg(m_process->program(), m_process->errorString()));
    });
}

LaunchRun::~LaunchRun()
{
    m_process->disconnect(this);
    interrupt();
    if (isRunning() && !m_process->waitForFinished(int(m_patience.remainingTime())))
        std::ignore = m_process.release(); // its destructor would kill the process
}

void LaunchRun::start(const LaunchProgram &program, const QString &hostsFile, const QString &verb)
{
    m_rows.clear();
    m_rest.clear();
    m_patience = QDeadlineTimer(QDeadlineTimer::Forever);
    m_process->start(program.program,
                     QStringList{QStringLiteral("launch")} + program.options
                         + QStringList{QStringLiteral("--output"), QStringLiteral("jsonl"), hostsFile, verb});
    m_process->closeWriteChannel();
}

void LaunchRun::interrupt()
{
    if (m_patience.isForever())
        m_patience.setRemainingTime(Patience);
    if (isRunning() && m_process->processId() > 0)
        ::kill(pid_t(m_process->processId()), SIGTERM);
}

void LaunchRun::read()
{
    m_rest += m_process->readAllStandardOutput();
    qsizetype begin = 0;
    for (qsizetype end = m_rest.indexOf('\n'); end >= 0; end = m_rest.indexOf('\n', begin)) {
        const LaunchRow row = LaunchRow::of(QJsonDocument::fromJson(m_rest.mid(begin, end - begin)).object());
        if (!row.host.isEmpty())
            m_rows.put(row);
        begin = end + 1;
    }
    m_rest = m_rest.mid(begin).left(LongestLine);
}

void LaunchRun::end()
{
    read();
    const QString complaint =
        QString::fromLocal8Bit(m_process->readAllStandardError()).left(LongestComplaint).trimmed();
    const bool wasKilled = m_process->exitStatus() != QProcess::NormalExit || m_process->exitCode() > SignalBase;
    Q_EMIT ended(wasKilled                        ? End::Interrupted
                     : m_process->exitCode() == 0 ? End::Good
                                                  : End::Bad,
                 text::printable(complaint, text::LineEnds::Keep));
}

} // namespace drover::gui
