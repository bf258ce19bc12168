#include "app/bench/peer.h"

#include "app/cli/failure.h"
#include "async/event.h"
#include "async/or_timeout.h"
#include "posix/process.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonDocument>
#include <QProcess>

#include <csignal>

#include <unistd.h>

namespace drover::app {

namespace {

// Kills it unless it has ended.
class Running
{
public:
    Running(const QString &program, const QStringList &arguments)
    {
        QObject::connect(&m_process, &QProcess::finished, &m_process, [this] { m_ended.set(); });
        m_process.setChildProcessModifier([parent = ::getpid()] { posix::dieWith(parent); });
        m_process.setStandardInputFile(QProcess::nullDevice());
        m_process.start(program, arguments);
        if (!m_process.waitForStarted())
            m_ended.set();
    }
    ~Running()
    {
        m_process.disconnect();
        m_process.kill();
        m_process.waitForFinished();
    }
    Running(const Running &) = delete;
    Running &operator=(const Running &) = delete;

    async::Task<void> ended() { co_await m_ended.wait(); }
    QProcess &process() { return m_process; }

private:
    async::Event m_ended;
    QProcess m_process;
};

} // namespace

Peer::Peer(QString library) : m_library(std::move(library))
{
    const QString directory = qEnvironmentVariable("DROVER_PEERS", QCoreApplication::applicationDirPath());
    m_program = QStringLiteral("%1/%2-peer").arg(directory, m_library);
    if (!QFileInfo(m_program).isExecutable())
        throw CommandError(
            ExitNotFound,
            QStringLiteral("there is no %1; packaging/run test builds it, and DROVER_PEERS says where it is")
                .arg(m_program));
}

async::Task<QJsonObject> Peer::measure(async::Loop &loop, QString servers, QStringList words,
                                       std::chrono::milliseconds limit) const
{
    Running running(m_program, QStringList{servers, QStringLiteral("bench")} + words);
    QString problem;
    try {
        co_await async::orTimeout(loop, running.ended(), limit);
    } catch (const async::Timeout &) {
        problem = QStringLiteral("not done after %1 s").arg(std::chrono::ceil<std::chrono::seconds>(limit).count());
    }
    const QJsonObject answer = QJsonDocument::fromJson(running.process().readAllStandardOutput()).object();
    if (problem.isEmpty() && answer.contains(QStringLiteral("error")))
        problem = answer.value(QStringLiteral("error")).toString();
    if (problem.isEmpty() && answer.isEmpty())
        problem = QString::fromUtf8(running.process().readAllStandardError().right(300)).simplified();
    if (!problem.isEmpty() || answer.isEmpty())
        throw CommandError(ExitError, QStringLiteral("%1 bench %2: %3").arg(m_program, words.join(u' '), problem));
    co_return answer;
}

} // namespace drover::app
