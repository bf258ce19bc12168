#pragma once

#include "net/request_server.h"

#include <QString>

namespace drover::workers {

// Lets the other processes of the cluster read the output in this worker's spool (output/output_request.h). On a thread
// of its own. One for all lives of a worker: its port stays the same.
class OutputServer
{
public:
    // Port 0: a free one. Throws net::CannotListen.
    OutputServer(const QHostAddress &address, quint16 port, const QString &spool);
    OutputServer(const QHostAddress &address, quint16 port, const QString &spool,
                 const net::RequestServer::Limits &limits);

    quint16 port() const { return m_server.port(); }
    // From now on those are answered who have this key of this cluster; before that, nobody.
    void setKey(const QByteArray &cluster, const QByteArray &key) { m_server.setKey({cluster, key}); }
    int connections() const { return m_server.connections(); }

private:
    net::RequestServer m_server;
};

} // namespace drover::workers
