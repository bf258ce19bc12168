#include "net/shared_key.h"

#include <QSslCipher>
#include <QSslPreSharedKeyAuthenticator>
#include <QSslSocket>

namespace drover::net {

void useKey(QSslSocket &socket, const SharedKey &key)
{
    QSslConfiguration configuration = QSslConfiguration::defaultConfiguration();
    configuration.setProtocol(QSsl::TlsV1_2); // Qt's servers know pre-shared keys of this version alone
    configuration.setCiphers(QStringLiteral("ECDHE-PSK-CHACHA20-POLY1305"));
    configuration.setPeerVerifyMode(QSslSocket::VerifyNone); // there is no certificate: the key proves who it is
    configuration.setPreSharedKeyIdentityHint(key.name);
    socket.setSslConfiguration(configuration);
    QObject::connect(&socket, &QSslSocket::preSharedKeyAuthenticationRequired, &socket,
                     [key](QSslPreSharedKeyAuthenticator *asked) {
                         asked->setIdentity(key.name); // a client says which; for a server it is read-only
                         asked->setPreSharedKey(key.secret);
                     });
}

} // namespace drover::net
