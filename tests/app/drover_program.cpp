#include "drover_program.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>

#include <stdexcept>

namespace drover::test {

DroverProgram::DroverProgram() : m_environment(QProcessEnvironment::systemEnvironment())
{
    for (const char *const name : {"DROVER_CONNECT", "DROVER_CLUSTER"})
        m_environment.remove(QLatin1String(name));
    for (const char *const name : {"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"}) {
        const QString path = m_directory.filePath(QString::fromLatin1(name).toLower());
        QDir().mkpath(path);
        setVariable(name, path);
    }
}

DroverProgram::~DroverProgram()
{
    if (QFile::exists(m_environment.value(QStringLiteral("XDG_RUNTIME_DIR")) + QStringLiteral("/drover/up.lock")))
        run({QStringLiteral("down")});
}

std::unique_ptr<QProcess> DroverProgram::start(const QStringList &arguments) const
{
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(m_environment);
    process->setWorkingDirectory(m_directory.path());
    process->start(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover"), arguments);
    if (!process->waitForStarted())
        throw std::runtime_error("drover does not start: " + process->errorString().toStdString());
    return process;
}

Finished DroverProgram::finish(QProcess &process, int limitMs)
{
    if (process.state() != QProcess::NotRunning && !process.waitForFinished(limitMs)) {
        process.kill();
        process.waitForFinished();
        return {-1, process.readAllStandardOutput(), "did not end in time: " + process.readAllStandardError()};
    }
    const int code = process.exitCode() + (process.exitStatus() == QProcess::CrashExit ? 128 : 0);
    return {code, process.readAllStandardOutput(), process.readAllStandardError()};
}

Finished DroverProgram::run(const QStringList &arguments, int limitMs) const
{
    const std::unique_ptr<QProcess> process = start(arguments);
    process->closeWriteChannel();
    return finish(*process, limitMs);
}

namespace {

template <typename Read>
bool waitFor(QProcess &process, const QByteArray &text, QByteArray &seen, int limitMs, const Read &read)
{
    QElapsedTimer timer;
    timer.start();
    for (;;) {
        seen += read();
        if (seen.contains(text))
            return true;
        if (timer.elapsed() > limitMs || process.state() == QProcess::NotRunning)
            return false;
        process.waitForReadyRead(50);
    }
}

} // namespace

bool waitForOutput(QProcess &process, const QByteArray &text, QByteArray &seen, int limitMs)
{
    process.setReadChannel(QProcess::StandardOutput);
    return waitFor(process, text, seen, limitMs, [&] { return process.readAllStandardOutput(); });
}

bool waitForMessage(QProcess &process, const QByteArray &text, QByteArray &seen, int limitMs)
{
    process.setReadChannel(QProcess::StandardError);
    return waitFor(process, text, seen, limitMs, [&] { return process.readAllStandardError(); });
}

} // namespace drover::test
