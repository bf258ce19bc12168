#include "gui/doctor/doctor_run.h"

#include "text/printable.h"

#include <QJsonDocument>

namespace drover::gui {

namespace {

constexpr int ForTheKilled = 1000; // ms, until it has ended

} // namespace

DoctorRun::DoctorRun(std::chrono::milliseconds period) : m_period(period)
{
    m_patience.setSingleShot(true);
    m_patience.setInterval(Patience);
    connect(&m_patience, &QTimer::timeout, this, [this] { fail(tr("drover doctor has not answered")); });
}

DoctorRun::~DoctorRun()
{
    if (!m_process)
        return;
    m_process->disconnect(this);
    m_process->kill();
    m_process->waitForFinished(ForTheKilled);
}

void DoctorRun::look(const LaunchProgram &program)
{
    if (m_process || program.program.isEmpty()
        || (m_begun.isValid() && std::chrono::milliseconds(m_begun.elapsed()) < m_period))
        return;
    m_begun.start();
    m_patience.start();
    m_process = std::make_unique<QProcess>();
    connect(m_process.get(), &QProcess::finished, this, &DoctorRun::end);
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            fail(tr("cannot run %1: %2").arg(m_process->program(), m_process->errorString()));
    });
    m_process->start(program.program,
                     QStringList{QStringLiteral("doctor")} + program.options
                         + QStringList{QStringLiteral("--output"), QStringLiteral("json")});
    if (m_process)
        m_process->closeWriteChannel();
}

void DoctorRun::forget()
{
    m_begun.invalidate();
    m_findings.clear();
    drop();
}

void DoctorRun::drop()
{
    m_patience.stop();
    if (!m_process)
        return;
    QProcess *const process = m_process.release();
    process->disconnect(this);
    if (process->state() == QProcess::NotRunning)
        return process->deleteLater(); // it may be emitting
    connect(process, &QProcess::finished, process, &QObject::deleteLater);
    process->kill();
}

void DoctorRun::end()
{
    const QJsonObject answer = QJsonDocument::fromJson(m_process->readAllStandardOutput()).object();
    if (!answer.contains(u"findings")) {
        const QString complaint = QString::fromLocal8Bit(m_process->readAllStandardError()).trimmed();
        return fail(complaint.isEmpty() ? tr("drover doctor has not answered")
                                        : text::printable(complaint.section(u'\n', 0, 0)));
    }
    drop();
    m_findings.take(answer);
    Q_EMIT found();
}

void DoctorRun::fail(const QString &why)
{
    drop();
    Q_EMIT failed(why);
}

} // namespace drover::gui
