#pragma once

#include "recipes/leadership.h"

namespace drover::recipes {

// The classic election on one node: who creates it is master; standbys and workers watch it.
//
//     <path>           ephemeral, data = where the master is reached, "host:port"
//     <path>-epoch     persistent: its version counts the masters (the fence, see NamedNode), its data is the last one
//
//     campaign: loop:
//       multi(create <path>, setData epoch)                   -- one round trip: master
//       it exists, a reply was lost, and the epoch says that it is of that very create: master
//       else watch it until it is gone
//
// For a handful of standbys: each of them is told when the master goes, and all but one have asked in vain. LeaderLatch
// wakes one. Workers that want to know where the master is follow the node (followData(zk, path, ...)).
//
// Lost reply: handled as above. Suspended: leadership is in doubt, the node stays. Expired: the node goes, a standby is
// elected. Node or parent deleted by another hand: leadership is in doubt within a round trip, and the next master's
// epoch makes the fence fail. Deleting the epoch node makes it count from zero: never do so with a master about.
// Version of the epoch: 2^31 masters. Two campaigns of one session: the second stands by, whatever replies are lost.
// Cancelled by destruction, without an orphan, and without harm to the other campaign.
class Master
{
public:
    Master(zk::Coordinator &zk, zk::Path path) : m_zk(zk), m_path(std::move(path)) { }

    // Returns when elected. `endpoint` is what the others read. Throws SessionLost. The Master must outlive the task.
    async::Task<Leadership> campaign(QByteArray endpoint);

    // Who is master now, if anybody; its id is the endpoint. Throws SessionLost.
    async::Task<std::optional<Participant>> master();

private:
    zk::Coordinator &m_zk;
    zk::Path m_path;
};

} // namespace drover::recipes
