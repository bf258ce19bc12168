#pragma once

#include "zk/path.h"

#include <QByteArray>
#include <QString>

#include <map>
#include <stdexcept>
#include <vector>

namespace drover::zk {

// The text is not a valid list of servers. what() is one line: the error, and what is expected.
class InvalidConnectString : public std::invalid_argument
{
public:
    explicit InvalidConnectString(const QString &what) : std::invalid_argument(what.toStdString()) { }
};

struct ServerAddress {
    QString host; // a name or a numeric address, without brackets
    quint16 port = 0;

    bool isNumeric() const;
    QString toString() const; // host:port, an IPv6 address in brackets

    friend bool operator==(const ServerAddress &, const ServerAddress &) = default;
};
using ServerList = std::vector<ServerAddress>;

// The servers of "host:port,host:port" or "host:port,host:port/chroot". The port may be left out (2181), an IPv6
// address stands in brackets: "[::1]:2181". Throws InvalidConnectString.
ServerList parseConnectString(const QString &text);

// The root that the text gives to its clients (Chroot): "/" if it names none. Throws InvalidConnectString.
Path chrootOf(const QString &text);

struct Resolved {
    ServerList servers; // numeric, in the order of the names, each once
    QString trouble; // the unresolved names and why; empty if there are none
    std::map<QString, ServerList> addresses; // of each resolved name, by host:port
};

// Looks up the names. A name that cannot be resolved now keeps its addresses in `last`, because its server may run
// while the name server does not. Blocks, so call it where blocking is allowed.
Resolved resolve(const ServerList &servers, const Resolved &last = {});

} // namespace drover::zk
