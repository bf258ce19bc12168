#include "zk/client/connect_string.h"

#include "zk/chroot.h"

#include <QHostAddress>

#include <algorithm>

#include <netdb.h>
#include <sys/socket.h>

namespace drover::zk {

namespace {

constexpr quint16 DefaultPort = 2181;

InvalidConnectString invalid(const QString &text, const QString &why)
{
    return InvalidConnectString(
        QStringLiteral("invalid ZooKeeper address \"%1\": %2; expected host:port[,host:port...][/path]")
            .arg(text, why));
}

quint16 portOf(const QString &text, const QString &port)
{
    bool ok = false;
    const uint number = port.toUInt(&ok);
    if (!ok || number == 0 || number > 65535)
        throw invalid(text, QStringLiteral("\"%1\" is not a port").arg(port));
    return static_cast<quint16>(number);
}

bool isHost(const QString &host)
{
    return !host.isEmpty() && std::all_of(host.begin(), host.end(), [](QChar c) {
        return c.unicode() < 0x80 && (c.isLetterOrNumber() || c == u'.' || c == u'-' || c == u'_');
    });
}

ServerAddress parseServer(const QString &text, const QString &part)
{
    if (part.startsWith(u'[')) {
        const qsizetype end = part.indexOf(u']');
        const QString host = part.mid(1, end - 1);
        if (end < 0 || QHostAddress(host).protocol() != QAbstractSocket::IPv6Protocol)
            throw invalid(text, QStringLiteral("\"%1\" is not an IPv6 address in brackets").arg(part));
        const QString rest = part.mid(end + 1);
        if (!rest.isEmpty() && !rest.startsWith(u':'))
            throw invalid(text, QStringLiteral("\"%1\" follows an address").arg(rest));
        return {host, rest.isEmpty() ? DefaultPort : portOf(text, rest.mid(1))};
    }
    const qsizetype colon = part.indexOf(u':');
    if (colon != part.lastIndexOf(u':'))
        throw invalid(text, QStringLiteral("an IPv6 address needs brackets"));
    const QString host = part.left(colon);
    if (!isHost(host))
        throw invalid(text, QStringLiteral("\"%1\" is not a host").arg(host));
    return {host, colon < 0 ? DefaultPort : portOf(text, part.mid(colon + 1))};
}

QString numeric(const addrinfo &address)
{
    char text[NI_MAXHOST];
    if (getnameinfo(address.ai_addr, address.ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0)
        return {};
    return QString::fromLatin1(text);
}

// Looks up the addresses of one name; returns why there are none.
QString lookUp(const ServerAddress &name, ServerList &addresses)
{
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo *found = nullptr;
    const int error = getaddrinfo(name.host.toLatin1().constData(), nullptr, &hints, &found);
    if (error != 0)
        return QString::fromLocal8Bit(gai_strerror(error));
    for (const addrinfo *address = found; address; address = address->ai_next) {
        ServerAddress server{numeric(*address), name.port};
        if (!server.host.isEmpty())
            addresses.push_back(std::move(server));
    }
    freeaddrinfo(found);
    return {};
}

void appendNew(const ServerList &servers, ServerList &to)
{
    for (const ServerAddress &server : servers) {
        if (std::find(to.begin(), to.end(), server) == to.end())
            to.push_back(server);
    }
}

} // namespace

bool ServerAddress::isNumeric() const
{
    return !QHostAddress(host).isNull();
}

QString ServerAddress::toString() const
{
    return (host.contains(u':') ? u'[' + host + u']' : host) + u':' + QString::number(port); // a scope is "%2"
}

ServerList parseConnectString(const QString &text)
{
    if (text.contains(u"://"))
        throw invalid(text, QStringLiteral("leave out the text before the host: HOST:PORT"));
    static_cast<void>(chrootOf(text));
    ServerList servers;
    for (const QString &part : text.left(text.indexOf(u'/')).split(u','))
        servers.push_back(parseServer(text, part.trimmed()));
    return servers;
}

Path chrootOf(const QString &text)
{
    const qsizetype slash = text.indexOf(u'/');
    if (slash < 0)
        return {};
    const QByteArray path = text.sliced(slash).trimmed().toUtf8();
    if (path.contains(','))
        throw invalid(text, QStringLiteral("the path stands once, after the last server"));
    if (path.size() > Chroot::MaxBytes)
        throw invalid(text, QStringLiteral("the path after the servers has more than %1 bytes").arg(Chroot::MaxBytes));
    try {
        return Path(path);
    } catch (const InvalidPath &error) {
        throw invalid(text, QString::fromUtf8(error.what()));
    }
}

Resolved resolve(const ServerList &servers, const Resolved &last)
{
    Resolved resolved;
    for (const ServerAddress &server : servers) {
        if (server.isNumeric()) {
            appendNew({server}, resolved.servers);
            continue;
        }
        const QString name = server.toString();
        ServerList addresses;
        const QString why = lookUp(server, addresses);
        const auto known = last.addresses.find(name);
        if (addresses.empty() && known != last.addresses.end())
            addresses = known->second;
        if (!why.isEmpty()) {
            resolved.trouble += resolved.trouble.isEmpty() ? QString() : QStringLiteral("; ");
            resolved.trouble += QStringLiteral("cannot resolve %1: %2").arg(server.host, why);
        }
        appendNew(addresses, resolved.servers);
        if (!addresses.empty())
            resolved.addresses.emplace(name, std::move(addresses));
    }
    return resolved;
}

} // namespace drover::zk
