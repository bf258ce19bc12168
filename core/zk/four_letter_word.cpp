#include "zk/four_letter_word.h"

#include "async/event.h"

#include <QTcpSocket>

namespace drover::zk {

namespace {

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
    QObject::connect(socket.get(), &QTcpSocket::connected, [&] { socket->write(word); });
    QObject::connect(socket.get(), &QTcpSocket::errorOccurred, [&] { ended.set(); });
    socket->connectToHost(host, port);
    co_await ended.wait();
    // The server closes the connection behind its answer: that is the one error that means success.
    if (socket->error() != QAbstractSocket::RemoteHostClosedError)
        throw NoAnswer(QStringLiteral("no answer from ZooKeeper at %1:%2: %3")
                           .arg(host)
                           .arg(port)
                           .arg(socket->errorString())
                           .toStdString());
    co_return socket->readAll();
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
