#include "app/cluster/listen_address.h"

#include "app/cli/failure.h"
#include "net/endpoint.h"
#include "zk/client/connect_string.h"

#include <QSysInfo>

namespace drover::app {

namespace {

std::optional<QHostAddress> addressFrom(const QString &text)
{
    if (text == u"*")
        return QHostAddress(QHostAddress::Any);
    const QHostAddress address(text);
    return address.isNull() ? std::nullopt : std::optional(address);
}

bool isEverywhere(const QHostAddress &address)
{
    return address == QHostAddress(QHostAddress::Any) || address == QHostAddress(QHostAddress::AnyIPv4)
        || address == QHostAddress(QHostAddress::AnyIPv6);
}

} // namespace

std::optional<ListenAddress> ListenAddress::parse(const QString &text, const QString &source)
{
    if (text == u"none")
        return std::nullopt;
    if (const std::optional<QHostAddress> whole = addressFrom(text))
        return ListenAddress{*whole, 0};
    const std::optional<net::Endpoint> endpoint = net::Endpoint::parse(text);
    const std::optional<QHostAddress> address = endpoint ? addressFrom(endpoint->host) : std::nullopt;
    if (!address && text.endsWith(u":0"))
        throw UsageError(QStringLiteral("%1: \"%2\": port 0 takes no connections; without :PORT a free one is chosen")
                             .arg(source, text));
    if (!address)
        throw UsageError(QStringLiteral("%1: \"%2\" is not a valid listen address; use an address of this machine or * "
                                        "for all of them, optionally with :PORT, or none")
                             .arg(source, text));
    return ListenAddress{*address, endpoint->port};
}

// A host name may lead to loopback on its own machine (Debian: 127.0.1.1 in /etc/hosts), and elsewhere to that machine.
QHostAddress addressTowardsServers(const QString &connect)
{
    bool isPrivate = true; // the servers are for this machine alone
    for (const zk::ServerAddress &server : zk::parseConnectString(connect)) {
        const QHostAddress address(net::addressTowards({server.host, server.port}));
        if (!address.isNull() && !address.isLoopback())
            return address;
        isPrivate = isPrivate && (server.host == u"localhost" || QHostAddress(server.host).isLoopback());
    }
    return isPrivate ? QHostAddress::LocalHost : QHostAddress::Any;
}

QString addressForOthers(const ListenAddress &listening, const QString &connect)
{
    if (!isEverywhere(listening.address))
        return listening.address.toString();
    const QHostAddress address = addressTowardsServers(connect);
    return address.isLoopback() || isEverywhere(address) ? QSysInfo::machineHostName() : address.toString();
}

} // namespace drover::app
