#include "zk/server/four_letter_word.h"

#include "async/event.h"

#include <QTcpSocket>
#include <QTimer>

namespace drover::zk {

namespace {

// A web server answers nothing before a blank line. A ZooKeeper server answers the word at once and closes the
// connection; line ends that it has not read would make it reset the connection, and its answer could be lost.
constexpr std::chrono::milliseconds BlankLineAfter(300);

constexpr qint64 MostBytes = 1024 * 1024; // far more than a server says

// The coroutine resumes inside a signal of its socket, which therefore must not be deleted on the spot.
struct DeleteLater {
    void operator()(QTcpSocket *socket) const
    {
        socket->disconnect();
        socket->abort();
        socket->deleteLater();
    }
};

} // namespace

async::Task<QByteArray> fourLetterWord(QString host, quint16 port, QByteArray word)
{
    async::Event ended;
    const std::unique_ptr<QTcpSocket, DeleteLater> socket(new QTcpSocket);
    QTimer blankLine;
    blankLine.setSingleShot(true);
    QObject::connect(&blankLine, &QTimer::timeout, [&] { socket->write("\r\n\r\n"); });
    QObject::connect(socket.get(), &QTcpSocket::connected, [&] {
        socket->write(word);
        blankLine.start(BlankLineAfter);
    });
    QObject::connect(socket.get(), &QTcpSocket::errorOccurred, [&] { ended.set(); });
    QObject::connect(socket.get(), &QTcpSocket::readyRead, [&] {
        if (socket->bytesAvailable() > MostBytes)
            ended.set();
    });
    socket->connectToHost(host, port);
    co_await ended.wait();
    blankLine.stop();
    if (socket->bytesAvailable() > MostBytes)
        throw NoAnswer(QStringLiteral("%1:%2 answers more than 1 MiB: it is no ZooKeeper")
                           .arg(host, QString::number(port))
                           .toStdString());
    // The server closes the connection behind its answer: that is the one error that means success.
    if (socket->error() != QAbstractSocket::RemoteHostClosedError)
        throw NoAnswer(QStringLiteral("no answer from ZooKeeper at %1:%2: %3")
                           .arg(host, QString::number(port), socket->errorString())
                           .toStdString());
    co_return socket->readAll();
}

bool isOfZooKeeper(const QByteArray &answer)
{
    return answer.toLower().contains("zookeeper") || isRefusedByWhitelist(answer);
}

QString anotherProgram(const QByteArray &answer)
{
    return QStringLiteral("is the port of another program, which answers \"%1\"")
        .arg(QString::fromLatin1(answer.left(40).split('\n').first().trimmed()));
}

bool isRefusedByWhitelist(const QByteArray &answer)
{
    return answer.contains("not in the whitelist");
}

QByteArray fieldOf(const QByteArray &answer, const QByteArray &name)
{
    for (const QByteArray &line : answer.split('\n')) {
        if (!line.startsWith(name))
            continue;
        const QByteArray rest = line.mid(name.size());
        if (rest.startsWith(": ") || rest.startsWith('=') || rest.startsWith('\t'))
            return rest.mid(1).trimmed();
    }
    return {};
}

} // namespace drover::zk
