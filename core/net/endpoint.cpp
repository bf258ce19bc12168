#include "net/endpoint.h"

#include <QHostInfo>
#include <QUdpSocket>

namespace drover::net {

std::optional<Endpoint> Endpoint::parse(const QString &text)
{
    const qsizetype colon = text.lastIndexOf(u':');
    bool ok = false;
    const quint16 port = QStringView(text).mid(colon + 1).toUShort(&ok);
    if (colon < 1 || !ok || port == 0)
        return std::nullopt;
    QString host = text.left(colon);
    const bool bracketed = host.startsWith(u'[') && host.endsWith(u']');
    if (bracketed)
        host = host.mid(1, host.size() - 2);
    if (host.isEmpty() || host.contains(u':') != bracketed)
        return std::nullopt;
    return Endpoint{host, port};
}

QString Endpoint::toString() const
{
    return (host.contains(u':') ? u'[' + host + u']' : host) + u':' + QString::number(port);
}

QString addressTowards(const Endpoint &remote)
{
    const QList<QHostAddress> addresses = QHostInfo::fromName(remote.host).addresses();
    for (const QHostAddress &address : addresses) {
        QUdpSocket socket; // connecting it only asks the kernel for a route
        socket.connectToHost(address, remote.port);
        if (socket.state() == QAbstractSocket::ConnectedState && !socket.localAddress().isNull())
            return socket.localAddress().toString();
    }
    return {};
}

} // namespace drover::net
