#include "support/election_dial.h"

#include <QTcpSocket>
#include <QtEndian>

#include <stdexcept>

namespace drover::test {

ElectionDial::ElectionDial(qint64 callerId, quint16 port) : m_callerId(callerId), m_port(port)
{
    if (!listen(QHostAddress::LocalHost))
        throw std::runtime_error("no port for an election: " + errorString().toStdString());
    connect(this, &QTcpServer::newConnection, this, &ElectionDial::passOn);
}

void ElectionDial::passOn()
{
    while (QTcpSocket *const call = nextPendingConnection()) {
        call->close();
        call->deleteLater();
        if (m_isCut)
            continue;
        auto *const told = new QTcpSocket(this);
        const qint64 id = qToBigEndian(m_callerId);
        connect(told, &QTcpSocket::connected, told, [told, id] {
            told->write(reinterpret_cast<const char *>(&id), sizeof id);
            told->disconnectFromHost();
        });
        connect(told, &QTcpSocket::disconnected, told, &QObject::deleteLater);
        connect(told, &QTcpSocket::errorOccurred, told, &QObject::deleteLater); // it is not there yet
        told->connectToHost(QHostAddress(QHostAddress::LocalHost), m_port);
    }
}

} // namespace drover::test
