#pragma once

#include "jobs/model/layout.h"
#include "trust/credentials.h"
#include "zk/types.h"

#include <span>

namespace drover::jobs {

// What the roles may do with one kind of node in a closed cluster. Rights are some of "cdrw", as ZooKeeper has them: to
// create a child, to delete a child, to read data and children, to write data. So "may cancel a job" is "d" at its
// queue. The role admin may do everything, and it alone may change ACLs.
struct AclRow {
    const char *node; // below the cluster's root; "*" is one name, "x/**" is x and all below it
    const char *viewer;
    const char *submit;
    const char *operate;
    const char *worker;

    const char *rightsOf(trust::Role role) const;
    qint32 permissionsOf(trust::Role role) const; // bits of zk/permissions.h
};

// One row for each kind of node that Layout names. The first that fits counts.
std::span<const AclRow> aclTable();

// The row of a path; null outside the cluster's root, and for a node that Layout does not name.
const AclRow *aclRowOf(const Layout &layout, const zk::Path &path);

// Whether the path is the cluster's root or below it.
bool isWithin(const Layout &layout, const zk::Path &path);

// The ACL of a node in the closed cluster. A node without a row is for admins alone. So is a path outside the cluster.
// `former` are the roles' other identities, while their passwords are replaced.
zk::AclList aclOf(const Layout &layout, const zk::Path &path, const trust::Identities &identities,
                  const trust::Identities &former = {});

// aclOf() for zk::Access, with lists that are made once. Paths outside the cluster get what `outside` says.
zk::AclOfPath aclOfNewNodes(Layout layout, const trust::Identities &identities, const trust::Identities &former,
                            zk::AclOfPath outside);

} // namespace drover::jobs
