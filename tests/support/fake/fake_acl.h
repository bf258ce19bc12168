#pragma once

#include "zk/permissions.h"

#include <optional>

// Who may do what, as a ZooKeeper server decides it (ZooKeeperServer.checkACL()). Every client is at 127.0.0.1; there
// is no super user.
namespace drover::test {

enum class Permission : qint32 {
    Read = zk::ReadPermission,
    Write = zk::WritePermission,
    Create = zk::CreatePermission,
    Delete = zk::DeletePermission,
    Admin = zk::AdminPermission
};

// `digests` are "user:password" of the session, here and below.
bool allows(const zk::AclList &acl, Permission wanted, const std::vector<QByteArray> &digests);

// What is kept of an ACL: no doubles, "auth" becomes the identities of the session. Nothing: the server refuses it.
std::optional<zk::AclList> checkedAcl(const zk::AclList &acl, const std::vector<QByteArray> &digests);

// Without the digests of passwords, which only those see who may change the ACL.
zk::AclList masked(const zk::AclList &acl);

// The id of the scheme "digest" for "user:password".
QByteArray digestId(const QByteArray &userAndPassword);

} // namespace drover::test
