#include "drover_program.h"

#include "leftovers.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QTest>

#include <csignal>
#include <stdexcept>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace drover::test {

QJsonObject json(const Finished &finished)
{
    return QJsonDocument::fromJson(finished.out).object();
}

DroverProgram::DroverProgram() : m_environment(QProcessEnvironment::systemEnvironment())
{
    for (const char *const name :
         {"DROVER_CONNECT", "DROVER_CLUSTER", "DROVER_HISTORY", "DROVER_LISTEN", "DROVER_CREDENTIALS"})
        m_environment.remove(QLatin1String(name));
    for (const char *const name : {"XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME"}) {
        const QString path = m_directory.filePath(QString::fromLatin1(name).toLower());
        QDir().mkpath(path);
        QFile::setPermissions(path,
                              QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner); // as the runtime's has to be
        setVariable(name, path);
    }
}

namespace {

constexpr int DownLimitMs = 90'000; // more than drover down itself waits

} // namespace

DroverProgram::~DroverProgram()
{
    Finished down;
    down.exitCode = 0;
    if (QFile::exists(m_environment.value(QStringLiteral("XDG_RUNTIME_DIR")) + QStringLiteral("/drover/up.lock")))
        down = run({QStringLiteral("down")}, DownLimitMs);
    if (m_guardPid > 0)
        ::kill(static_cast<pid_t>(m_guardPid), SIGKILL);
    if (m_alive >= 0)
        ::close(m_alive);
    const QList<Leftover> left = endProcessesIn(m_directory.path(), m_patience);
    for (const Leftover &process : left)
        qWarning("left running: %lld, %s", process.pid, qPrintable(process.command));
    if (!left.isEmpty() || down.exitCode != 0)
        qFatal("the test left processes behind; drover down: exit code %d, %s", down.exitCode, down.err.constData());
}

// A test that is killed cannot end its cluster. The guard does so: it is no child of the test, and waits for a lock
// that the test's process holds as long as it lives.
void DroverProgram::guardCluster() const
{
    if (m_guardPid > 0)
        return;
    const QString file = m_directory.filePath(QStringLiteral("xdg_runtime_dir/test-lives"));
    m_alive = ::open(QFile::encodeName(file).constData(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (m_alive < 0 || ::flock(m_alive, LOCK_EX) != 0)
        throw std::runtime_error("cannot lock " + file.toStdString());
    QProcess guard;
    guard.setProcessEnvironment(m_environment);
    guard.setProgram(QStringLiteral("flock"));
    guard.setArguments(
        {file, qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover"), QStringLiteral("down")});
    guard.setStandardOutputFile(QProcess::nullDevice());
    guard.setStandardErrorFile(QProcess::nullDevice());
    if (!guard.startDetached(&m_guardPid))
        throw std::runtime_error("flock does not start: " + guard.errorString().toStdString());
}

namespace {

// Tests may run as root, and on a machine whose owner has a policy for workers.
QStringList withRoot(const QStringList &arguments)
{
    const bool isWorker = arguments.value(0) == u"worker" && (arguments.size() == 1 || arguments[1].startsWith(u'-'));
    if (!isWorker || arguments.contains(u"--policy"))
        return arguments;
    return arguments + words("--allow-root --policy none");
}

} // namespace

std::unique_ptr<QProcess> DroverProgram::start(const QStringList &arguments) const
{
    if (arguments.contains(QStringLiteral("--detach")))
        guardCluster();
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(m_environment);
    process->setWorkingDirectory(m_directory.path());
    process->setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); }); // a killed test leaves no worker
    process->start(qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover"), withRoot(arguments));
    if (!process->waitForStarted())
        throw std::runtime_error("drover does not start: " + process->errorString().toStdString());
    return process;
}

Finished DroverProgram::finish(QProcess &process, int limitMs)
{
    // With the event loop running: sessions of the test itself live on meanwhile.
    const bool ended = QTest::qWaitFor([&] { return process.state() == QProcess::NotRunning; }, limitMs);
    if (!ended) {
        process.kill();
        process.waitForFinished();
        return {-1, process.readAllStandardOutput(), "did not end in time: " + process.readAllStandardError()};
    }
    const int code = process.exitCode() + (process.exitStatus() == QProcess::CrashExit ? 128 : 0);
    return {code, process.readAllStandardOutput(), process.readAllStandardError()};
}

Finished DroverProgram::shell(const QByteArray &script) const
{
    QProcess process;
    process.setProcessEnvironment(m_environment);
    process.setWorkingDirectory(m_directory.path());
    process.start(QStringLiteral("sh"),
                  {QStringLiteral("-c"), QStringLiteral("PATH=$DROVER_BIN_DIR:$PATH; ") + QString::fromUtf8(script)});
    return finish(process);
}

Finished DroverProgram::run(const QStringList &arguments, int limitMs) const
{
    const std::unique_ptr<QProcess> process = start(arguments);
    process->closeWriteChannel();
    return finish(*process, limitMs);
}

namespace {

template <typename Read>
bool waitFor(const QProcess &process, const QByteArray &text, QByteArray &seen, int limitMs, const Read &read)
{
    const auto arrived = [&] {
        seen += read();
        return seen.contains(text);
    };
    const bool settled = QTest::qWaitFor([&] { return arrived() || process.state() == QProcess::NotRunning; }, limitMs);
    return settled && arrived();
}

} // namespace

bool waitForOutput(QProcess &process, const QByteArray &text, QByteArray &seen, int limitMs)
{
    return waitFor(process, text, seen, limitMs, [&] { return process.readAllStandardOutput(); });
}

bool waitForMessage(QProcess &process, const QByteArray &text, QByteArray &seen, int limitMs)
{
    return waitFor(process, text, seen, limitMs, [&] { return process.readAllStandardError(); });
}

bool catches(qint64 pid, int signal)
{
    QFile status(QStringLiteral("/proc/%1/status").arg(pid));
    if (!status.open(QIODevice::ReadOnly))
        return false;
    const QByteArray all = status.readAll();
    const QByteArray mask = all.mid(all.indexOf("SigCgt:") + 7).trimmed().left(16);
    return mask.toULongLong(nullptr, 16) >> (signal - 1) & 1;
}

} // namespace drover::test
