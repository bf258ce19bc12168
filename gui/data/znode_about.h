#pragma once

#include "gui/data/snapshots.h"

#include <QMap>

namespace drover::gui {

// The owner, the ACL and the other facts about the selected node, without its contents.
struct ZnodeAbout {
    zk::Path path;
    zk::AclList acl;
    qint32 aversion = 0; // of that ACL
    QString trouble; // why the ACL is unknown; or empty
    QString owner; // of an ephemeral: "worker up-1", "this console"; empty: it is persistent, or the owner is unknown
    QMap<QByteArray, QString> roles; // of the cluster, by the digest identities that ACLs name
};

} // namespace drover::gui
