#include "zk/server/free_port.h"

#include <QFile>
#include <QRandomGenerator>
#include <QTcpServer>

#include <memory>
#include <vector>

namespace drover::zk {

namespace {

constexpr int lowestPort = 10000;

int firstEphemeralPort()
{
    QFile range(QStringLiteral("/proc/sys/net/ipv4/ip_local_port_range"));
    if (!range.open(QIODevice::ReadOnly))
        return 32768;
    return range.readAll().simplified().split(' ').first().toInt();
}

bool listenSomewhere(QTcpServer &server, int end)
{
    for (int attempt = 0; attempt < 100 && end - lowestPort >= 1000; ++attempt) {
        const auto port = static_cast<quint16>(QRandomGenerator::global()->bounded(lowestPort, end));
        if (server.listen(QHostAddress::LocalHost, port))
            return true;
    }
    return server.listen(QHostAddress::LocalHost, 0); // a machine with hardly any port outside the range
}

} // namespace

QList<quint16> freePorts(int count)
{
    const int end = firstEphemeralPort();
    std::vector<std::unique_ptr<QTcpServer>> held; // all at once, so that they differ
    QList<quint16> ports;
    for (int i = 0; i < count; ++i) {
        held.push_back(std::make_unique<QTcpServer>());
        if (!listenSomewhere(*held.back(), end))
            qFatal("no free TCP port on 127.0.0.1: %ls", qUtf16Printable(held.back()->errorString()));
        ports.append(held.back()->serverPort());
    }
    return ports;
}

bool isFreePort(quint16 port)
{
    QTcpServer probe;
    return port != 0 && probe.listen(QHostAddress::LocalHost, port);
}

} // namespace drover::zk
