#pragma once

#include "zk/node_life.h"
#include "zk/path.h"
#include "zk/types.h"

#include <QMap>
#include <QString>
#include <QStringList>

namespace drover::gui {

// What a znode is, and what its record says, one sentence a line. Known are the nodes of Drover's clusters, those of
// the recipes of Curator and kazoo, and those of Curator's service discovery. For other nodes the list is empty. A line
// says that a record of Drover cannot be read.
QStringList recordWords(const zk::Path &path, const QByteArray &data, const zk::Stat &stat);

// The part of recordWords() for the nodes of Drover's clusters.
QStringList clusterWords(const zk::Path &path, const QByteArray &data);

QString byteWords(qint64 bytes); // "1 byte", "512 bytes", "64 KiB (65,536 bytes)"

// A transaction of the ensemble: the epoch of its leader, and its number in that epoch.
QString zxidWords(zk::Zxid zxid); // "epoch 3, transaction 2,623 (0x300000a3f)"

// When something happened, by the server's clock, in local time, and how long ago that is by ours.
QString instantWords(qint64 ms, qint64 nowMs); // "2026-01-31 14:03:22, 3m10s ago"

QString versionWords(const zk::Stat &stat);

// Who owns a znode, and what ends it, for a line with the title "Owner": "none: it is persistent".
QString ownerWords(const zk::Stat &stat);

// The roles of the cluster by the digest identities that its ACLs name: those that the console's credentials know.
using KnownRoles = QMap<QByteArray, QString>;

QString permissionWords(qint32 permissions); // "read and write", "everything"

// One line for each entry of an ACL: "role submit: read, write and create children".
QStringList aclWords(const zk::AclList &acl, const KnownRoles &roles);

// The form of zk::parseAcl(), in which an ACL is edited: "world:anyone:cdrwa".
QString aclText(const zk::AclList &acl);

} // namespace drover::gui
