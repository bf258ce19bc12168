#include "zk/client/client_log.h"

#include <QLoggingCategory>

#include <cerrno>
#include <cstring>

namespace drover::zk {

namespace {

Q_LOGGING_CATEGORY(lcClient, "drover.zk.client", QtWarningMsg)

thread_local QString *s_trouble = nullptr;

QString describe(int error)
{
    switch (error) {
    case EHOSTDOWN: // what the C client calls an end of file
        return QStringLiteral("closed the connection: it is not serving (no majority?), has too many clients, or is "
                              "not a ZooKeeper server");
    case ETIMEDOUT:
    case EAGAIN: // the C client's own time-out
        return QStringLiteral("no answer in time");
    case ECONNREFUSED:
        return QStringLiteral("connection refused: no server runs there");
    case ESTALE:
        return QStringLiteral("the session has expired");
    default:
        return QString::fromLocal8Bit(std::strerror(error));
    }
}

// "<time>:<pid>:ZOO_ERROR@function@line: Socket 127.0.0.1:2181 zk retcode=-4, errno=111(Connection refused): ..."
QString troubleIn(const QByteArray &line)
{
    const qsizetype socket = line.indexOf("Socket ");
    const qsizetype error = line.indexOf("errno=");
    if (socket < 0 || error < socket)
        return {};
    const QByteArray server = line.mid(socket + 7).split(' ').front();
    const int number = line.mid(error + 6).split('(').front().toInt();
    return QStringLiteral("%1: %2").arg(QString::fromLatin1(server), describe(number));
}

} // namespace

ClientLog::ClientLog(QString &trouble)
{
    s_trouble = &trouble;
}

ClientLog::~ClientLog()
{
    s_trouble = nullptr;
}

void ClientLog::write(const char *line)
{
    qCDebug(lcClient).noquote() << line;
    if (!s_trouble)
        return;
    const QString trouble = troubleIn(line);
    if (!trouble.isEmpty())
        *s_trouble = trouble;
}

} // namespace drover::zk
