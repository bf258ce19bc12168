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

} // namespace

std::optional<ListenAddress> ListenAddress::parse(const QString &text, const QString &source)
{
    if (text == u"none")
        return std::nullopt;
    if (const std::optional<QHostAddress> whole = addressFrom(text))
        return ListenAddress{*whole, 0};
    const std::optional<net::Endpoint> endpoint = net::Endpoint::parse(text);
    const std::optional<QHostAddress> address = endpoint ? addressFrom(endpoint->host) : std::nullopt;
    if (!address)
        throw UsageError(QStringLiteral("%1: \"%2\" is not a valid listen address; use an address of this machine or * "
                                        "for all of them, optionally with :PORT, or none")
                             .arg(source, text));
    return ListenAddress{*address, endpoint->port};
}

QHostAddress addressTowardsServers(const QString &connect)
{
    for (const zk::ServerAddress &server : zk::parseConnectString(connect)) {
        const QHostAddress address(net::addressTowards({server.host, server.port}));
        if (!address.isNull() && !address.isLoopback())
            return address;
    }
    return QHostAddress(QHostAddress::LocalHost);
}

QString addressForOthers(const ListenAddress &listening, const QString &connect)
{
    const bool everywhere = listening.address == QHostAddress(QHostAddress::Any)
        || listening.address == QHostAddress(QHostAddress::AnyIPv4)
        || listening.address == QHostAddress(QHostAddress::AnyIPv6);
    if (!everywhere)
        return listening.address.toString();
    const QHostAddress address = addressTowardsServers(connect);
    return address.isLoopback() ? QSysInfo::machineHostName() : address.toString();
}

} // namespace drover::app
