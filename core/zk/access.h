#pragma once

#include "zk/request.h"

#include <QByteArray>

#include <stdexcept>
#include <vector>

namespace drover::zk {

struct AuthInfo {
    QByteArray scheme; // "digest"
    QByteArray secret; // "user:password"
};

// The text is not a valid credential or ACL.
class InvalidAccess : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// The identity of a session, and the access rights of the nodes that it creates.
struct Access {
    std::vector<AuthInfo> auth{}; // added once connected
    AclOfPath acl{}; // of new nodes for which their create states none; null: the open ACL

    // Reads DROVER_AUTH and DROVER_ACL with the two functions below. Unset or empty: no credentials, open ACL. Throws
    // InvalidAccess.
    static Access fromEnvironment();
};

// "digest:user:password": the scheme up to the first colon. Throws InvalidAccess, without the secret in it.
AuthInfo parseAuthInfo(const QByteArray &text);

// "open"; "creator", which means only the credentials of the creating session; or a list of "scheme:id:permissions",
// separated by commas. The permissions are some of "cdrwa", as in ZooKeeper's own client. Throws InvalidAccess.
AclList parseAcl(const QByteArray &text);

} // namespace drover::zk
