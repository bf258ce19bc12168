#pragma once

#include "recipes/blocks/named_node.h"
#include "recipes/blocks/participants.h"
#include "recipes/elections/ephemeral_lease.h"

namespace drover::recipes {

// The classic election on one node. The process that creates the node is master; standbys and workers watch it.
//
//     <path>           ephemeral, data = the master's endpoint, "host:port"
//     <path>-epoch     persistent: its version counts the masters (the fence, see NamedNode); its data names the last
//
//     campaign: loop:
//       multi(create <path>, setData epoch)                   -- one round trip: master
//       it exists, a reply was lost, and the epoch has the uuid of that create: master
//       else watch it until it is gone
//
// Use it for a handful of standbys: each of them wakes when the master's node goes, and all but one fail. LeaderLatch
// wakes one. Workers that need the master's endpoint follow the node (followData(zk, path, ...)).
//
// Lost reply: as above. Suspended: leadership is in doubt, the node stays. Expired: the node goes, and a standby is
// elected. Node or parent deleted by another program: leadership is in doubt within a round trip, and the next master's
// epoch makes the old fence fail. Deleting the epoch node resets its count to zero, so never delete it while there is a
// master. The epoch's version allows 2^31 masters. Two campaigns of one session: the second stands by, also after lost
// replies. Cancelling by destruction leaves no orphan and does not harm another campaign.
class Master
{
public:
    Master(zk::Client &zk, zk::Path path) : m_zk(zk), m_path(std::move(path)) { }

    // Returns when elected. `endpoint` is the data that others read. Throws SessionLost. The Master must outlive the
    // task.
    async::Task<Leadership> campaign(QByteArray endpoint);

    // The master, if there is one; its id is the endpoint. Throws SessionLost.
    async::Task<std::optional<Participant>> master();

private:
    zk::Client &m_zk;
    zk::Path m_path;
};

} // namespace drover::recipes
