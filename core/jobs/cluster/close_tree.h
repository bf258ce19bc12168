#pragma once

#include "jobs/model/cluster.h"
#include "trust/credentials.h"

namespace drover::jobs {

// Closes a cluster: makes the directories that only workers and admins may make, and gives each node the ACL of the
// table (jobs/cluster/acl_table.h). The session must have the passwords of the roles worker and admin. Returns how many
// nodes it has changed. Throws SessionLost, AccessDenied.
//
// The root gets its ACL last. So a tree whose root has that ACL is closed, and is not walked again. A walk that was
// interrupted is repeated. Clients without credentials lose the cluster as the walk goes on. It goes from parents to
// children, so that they cannot add open nodes behind it. A node that its maker keeps to themselves stays so, with a
// warning. While passwords are replaced, nodes name the `former` identities as well.
async::Task<int> closeTree(Cluster cluster, trust::Identities identities, trust::Identities former = {});

// Gives each node of a closed cluster the ACL of the table, whatever it has. A version with another table may have
// closed the cluster. It takes the steps of closeTree(), and walks always. Safe to repeat.
async::Task<int> applyAclTable(Cluster cluster, trust::Identities identities, trust::Identities former = {});

// Gives the roles their rights of the table in the directories directly below the root, and leaves what others were
// given there. For a version with another table than the one that has closed the cluster. Safe to repeat. Returns how
// many nodes it has changed. Throws SessionLost, AccessDenied.
async::Task<int> updateDirectories(Cluster cluster, trust::Identities identities, trust::Identities former = {});

// Where a node's ACL names a role's `former` identity, it names its new one as well. It goes from parents to children,
// and above the cluster as far as it may. The session must have the former passwords of the roles worker and admin.
// A node below the cluster's root that its maker keeps to themselves stays so, with a warning. Otherwise one such node
// of a holder of the role submit would stop the change. Safe to repeat. Returns how many nodes it has changed. Throws
// SessionLost, AccessDenied.
async::Task<int> addIdentities(Cluster cluster, trust::Identities identities, trust::Identities former);

// Puts the new identities in the place of the former ones. The former ones may still read renewals, so that programs
// which were away can catch up. The session must have the new passwords. Otherwise as addIdentities().
async::Task<int> replaceIdentities(Cluster cluster, trust::Identities identities, trust::Identities former);

// Whether clients without credentials may use the cluster; nothing if it does not exist. Throws SessionLost.
async::Task<std::optional<bool>> isOpen(Cluster cluster);

// Returns once the cluster is closed. It looks every 5 s, because a new ACL fires no watch. Throws SessionLost.
async::Task<void> untilClosed(Cluster cluster);

// What stands above all clusters, from the top: `/`, /zookeeper, /zookeeper/quota and /drover.
std::vector<zk::Path> nodesAbove();

// Lets all clients read `/`, /zookeeper and /drover, and only `admins` change them. For a server that has no other use.
// Throws SessionLost, AccessDenied.
async::Task<void> closeAbove(zk::Client &zk, zk::AclList admins);

// As closeAbove(), for servers that may have other uses. It leaves all as it is if another cluster is in /drover, or if
// an administrator of one has the say. It leaves `/` and /zookeeper if nodes of others are beside them. Returns the
// znodes in which clients without credentials may still create nodes. Throws SessionLost.
async::Task<std::vector<zk::Path>> closeAboveIfAlone(Cluster cluster, trust::Identities identities,
                                                     trust::Identities former = {});

// Lets all clients create nodes in `/` and /drover, where the administrators may. Leaves what is open as it is. Throws
// SessionLost.
async::Task<void> shareAbove(Cluster cluster, trust::Identities identities, trust::Identities former = {});

// `/` and /drover, as far as clients without credentials may create nodes there. Throws SessionLost.
async::Task<std::vector<zk::Path>> openAbove(zk::Client &zk);

} // namespace drover::jobs
