#pragma once

#include <QList>

namespace drover::zk {

// `count` different TCP ports that nobody listens on at 127.0.0.1 at this moment. Nothing reserves them: whoever uses
// one must be ready to find it taken.
//
// They lie below the range that the kernel hands to outgoing connections, so that a server that is down for a while
// finds its port free again: no client took it by chance, and no client that keeps knocking connected to itself (which
// TCP allows when the source port chosen equals the port sought).
QList<quint16> freePorts(int count);

// Whether one could listen there now.
bool isFreePort(quint16 port);

} // namespace drover::zk
