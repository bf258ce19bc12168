#pragma once

#include <QByteArray>
#include <QSslConfiguration>

class QSslSocket;

namespace drover::net {

// A secret by which two processes authenticate each other. They use TLS 1.2 with a pre-shared key and an ephemeral
// Diffie-Hellman exchange (RFC 5489, with a cipher of RFC 7905). There are no certificates. Without the secret an
// attacker can neither connect, nor pose as the server, nor read the traffic. Learning the secret later does not reveal
// traffic that was recorded before.
struct SharedKey {
    QByteArray name; // identifies the key; sent unencrypted
    QByteArray secret; // 32 bytes
};

// Makes `socket` prove the key and demand it of its peer, as client or as server. Call it before the handshake, and on
// a server for each connection.
void useKey(QSslSocket &socket, const SharedKey &key);

} // namespace drover::net
