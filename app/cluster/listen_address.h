#pragma once

#include <QHostAddress>

#include <optional>

namespace drover::app {

// The address at which a worker serves the output of its jobs: "ADDRESS", "ADDRESS:PORT" or "none". "*" means every
// address of this machine. Without a port it takes a free one.
struct ListenAddress {
    QHostAddress address{QHostAddress::Any};
    quint16 port = 0;

    // Returns nothing for "none". Throws UsageError; its message begins with `source`.
    static std::optional<ListenAddress> parse(const QString &text, const QString &source);
};

// This machine's address on the route to the first ZooKeeper server that is not reached by loopback. If there is no
// such server, it is 127.0.0.1, provided that `connect` names all servers by loopback addresses or as localhost.
// Otherwise it is the address of all interfaces. Blocks while it resolves names.
QHostAddress addressTowardsServers(const QString &connect);

// The name or address by which other machines reach this listener: its address, or for "*" this machine's address on
// the route to the ZooKeeper servers. If that is a loopback address, ZooKeeper runs on this machine, and the result is
// this machine's name. Blocks while it resolves names.
QString addressForOthers(const ListenAddress &listening, const QString &connect);

} // namespace drover::app
