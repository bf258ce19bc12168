#pragma once

#include "jobs/model/cluster.h"
#include "trust/credentials.h"

namespace drover::jobs {

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
