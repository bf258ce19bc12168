#pragma once

#include "zk/client.h"

#include <functional>
#include <optional>
#include <vector>

namespace drover::jobs {

// What a node's list becomes.
using AclChange = std::function<zk::AclList(const zk::Path &path, const zk::AclList &present)>;

AclChange changedTo(zk::AclList wanted); // whatever it is

// Gives the node its list, also if another client changes that meanwhile. Counts it in `changed` if it had another. A
// node that has gone is done with. Waits out lost connections; throws SessionLost, AccessDenied.
async::Task<void> giveAcl(zk::Client &zk, zk::Path path, AclChange change, int *changed);

// As giveAcl() for each of the nodes, but leaves alone what this session may not change.
async::Task<void> giveAclWhereAllowed(zk::Client &zk, std::vector<zk::Path> paths, AclChange change, int *changed);

// Nothing of a node that does not exist. Waits out lost connections; throws SessionLost, AccessDenied.
async::Task<std::optional<zk::AclList>> presentAcl(zk::Client &zk, zk::Path path);

} // namespace drover::jobs
