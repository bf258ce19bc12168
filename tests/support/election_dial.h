#pragma once

#include <QTcpServer>

namespace drover::test {

// The election port of a ZooKeeper server, as one with a lower id reaches it. Of two servers the one with the higher id
// connects: it drops a connection from the lower one and calls back. A message of ZooKeeper 3.5 or later names the
// address to call, which would lead past every relay. So this port passes no connection on. It tells the higher server,
// in the older form without an address, that the lower one has called; that server calls back as its configuration
// says.
//
// For a thread with an event loop.
class ElectionDial : public QTcpServer
{
public:
    // `callerId` is that of the lower server, `port` the election port of the higher one, on 127.0.0.1. Throws
    // std::runtime_error if no port is free.
    ElectionDial(qint64 callerId, quint16 port);

    quint16 port() const { return serverPort(); }
    // While it is cut, no call is passed on. The caller calls again.
    void setCut(bool cut) { m_isCut = cut; }

private:
    void passOn();

    const qint64 m_callerId;
    const quint16 m_port;
    bool m_isCut = false;
};

} // namespace drover::test
