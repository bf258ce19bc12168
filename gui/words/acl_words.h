#pragma once

#include "zk/types.h"

#include <QMap>
#include <QStringList>

namespace drover::gui {

// The roles of the cluster by the digest identities that its ACLs name: those that the console's credentials know.
using KnownRoles = QMap<QByteArray, QString>;

QString permissionWords(qint32 permissions); // "read and write", "everything"

// One line for each entry of an ACL: "role submit: read, write and create children".
QStringList aclWords(const zk::AclList &acl, const KnownRoles &roles);

// The form of zk::parseAcl(), in which an ACL is edited: "world:anyone:cdrwa".
QString aclText(const zk::AclList &acl);

} // namespace drover::gui
