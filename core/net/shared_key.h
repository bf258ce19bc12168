#pragma once

#include <QByteArray>
#include <QSslConfiguration>

class QSslSocket;

namespace drover::net {

// A secret that two processes share, by which each knows the other: TLS 1.2 with a pre-shared key and an ephemeral
// Diffie-Hellman exchange (RFC 5489, its cipher RFC 7905). There are no certificates. Who does not know the secret can
// neither connect, nor pose as the server, nor read what others say, even if he learns the secret later.
struct SharedKey {
    QByteArray name; // which key: sent in the clear, and the same on both sides
    QByteArray secret; // 32 bytes
};

// Makes `socket` prove its key, and ask for the same of the other side, in whichever role its handshake is started. A
// server's socket has to be given the key anew for each connection.
void useKey(QSslSocket &socket, const SharedKey &key);

} // namespace drover::net
