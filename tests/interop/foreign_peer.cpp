#include "interop/foreign_peer.h"

#include "support/await.h"

#include <QCoreApplication>
#include <QJsonDocument>

namespace drover::test {

ForeignPeer::ForeignPeer(QByteArray name, const QString &servers, const QByteArray &auth) : m_name(std::move(name))
{
    QObject::connect(&m_process, &QProcess::readyReadStandardOutput, &m_process, [this] { read(); });
    QObject::connect(&m_process, &QProcess::finished, &m_process, [this] { m_arrived.notify(); });
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    // It starts in half the time, and is not what is measured.
    environment.insert(QStringLiteral("DROVER_PEER_JAVA_OPTIONS"),
                       QStringLiteral("-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx128m"));
    environment.remove(QStringLiteral("DROVER_AUTH"));
    if (!auth.isEmpty())
        environment.insert(QStringLiteral("DROVER_AUTH"), QString::fromUtf8(auth));
    m_process.setProcessEnvironment(environment);
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    const QString programs =
        qEnvironmentVariable("DROVER_BIN_DIR", QCoreApplication::applicationDirPath() + QStringLiteral("/../bin"));
    const QString program = programs + u'/' + QString::fromUtf8(m_name) + QStringLiteral("-peer");
    m_process.start(program, {servers});
    if (!m_process.waitForStarted())
        throw PeerFailure(QStringLiteral("%1: %2").arg(program, m_process.errorString()).toStdString());
}

ForeignPeer::~ForeignPeer()
{
    m_process.disconnect();
    m_process.closeWriteChannel();
    if (!m_process.waitForFinished(10'000)) {
        m_process.kill();
        m_process.waitForFinished();
    }
}

void ForeignPeer::tell(const QByteArray &client, const QByteArray &command)
{
    m_asked[client].append(command);
    m_process.write(client + ' ' + command + '\n');
}

async::Task<QJsonObject> ForeignPeer::answer(QByteArray client)
{
    const QByteArray command = m_asked[client].takeFirst();
    const std::string doing = (m_name + ' ' + client + ": " + command).toStdString();
    while (!hasAnswered(client)) {
        if (m_process.state() == QProcess::NotRunning)
            throw PeerFailure(doing + ": the peer has ended");
        co_await m_arrived.wait();
    }
    QJsonObject answer = m_answers[client].takeFirst();
    const QString error = answer[u"error"].toString();
    if (!error.isEmpty())
        throw PeerFailure(doing + ": " + error.toStdString());
    co_return answer;
}

QJsonObject ForeignPeer::ask(const QByteArray &client, const QByteArray &command)
{
    tell(client, command);
    return await(answer(client));
}

void ForeignPeer::read()
{
    while (m_process.canReadLine()) {
        const QJsonObject answer = QJsonDocument::fromJson(m_process.readLine()).object();
        m_answers[answer[u"client"].toString().toUtf8()].append(answer);
    }
    m_arrived.notify();
}

} // namespace drover::test
