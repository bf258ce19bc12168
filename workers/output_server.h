#pragma once

#include "net/request_server.h"

#include <QString>

namespace drover::workers {

// Serves the output in this worker's spool to the other processes of the cluster (output/output_request.h). It runs on
// a thread of its own. One server serves all sessions of a worker, so its port stays.
class OutputServer
{
public:
    // Port 0 takes a free one. Throws net::CannotListen.
    OutputServer(const QHostAddress &address, quint16 port, const QString &spool);
    OutputServer(const QHostAddress &address, quint16 port, const QString &spool,
                 const net::RequestServer::Limits &limits);

    quint16 port() const { return m_server.port(); }
    // Admits clients that have this key of this worker. No client is admitted before the first call.
    void setKey(const QByteArray &worker, const QByteArray &key) { m_server.setKey({worker, key}); }
    int connections() const { return m_server.connections(); }

private:
    net::RequestServer m_server;
};

} // namespace drover::workers
