#include "app/bench/peer.h"

#include "app/cli/failure.h"
#include "async/or_timeout.h"
#include "async/owned_process.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QJsonDocument>

namespace drover::app {

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
    async::OwnedProcess running;
    running.start(m_program, QStringList{servers, QStringLiteral("bench")} + words);
    running.closeWriteChannel();
    QString problem;
    try {
        co_await async::orTimeout(loop, running.ended(), limit);
    } catch (const async::Timeout &) {
        problem = QStringLiteral("not done after %1 s").arg(std::chrono::ceil<std::chrono::seconds>(limit).count());
    }
    const QJsonObject answer = QJsonDocument::fromJson(running.readAllStandardOutput()).object();
    if (problem.isEmpty() && answer.contains(QStringLiteral("error")))
        problem = answer.value(QStringLiteral("error")).toString();
    if (problem.isEmpty() && answer.isEmpty())
        problem = QString::fromUtf8(running.readAllStandardError().right(300)).simplified();
    if (!problem.isEmpty() || answer.isEmpty())
        throw CommandError(ExitError, QStringLiteral("%1 bench %2: %3").arg(m_program, words.join(u' '), problem));
    co_return answer;
}

} // namespace drover::app
