#pragma once

#include <QList>

namespace drover::zk {

// `count` different TCP ports that are free at 127.0.0.1 at this moment. They are not reserved, so the caller must
// expect to find one taken.
//
// They lie below the range that the kernel assigns to outgoing connections. So a server that is down for a while finds
// its port free again. A client cannot take it by chance. Nor can a client that keeps reconnecting connect to itself,
// which TCP allows if the source port equals the destination port.
QList<quint16> freePorts(int count);

// Whether a server could listen on `port` at 127.0.0.1 now.
bool isFreePort(quint16 port);

} // namespace drover::zk
