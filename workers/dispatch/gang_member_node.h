#pragma once

#include "jobs/model/cluster.h"
#include "jobs/model/gang.h"
#include "workers/claims/claimed_job.h"
#include "zk/client.h"

namespace drover::workers {

// The node of one member in a round of its gang. Its worker has claimed the member and keeps room for it.
//
//     gangs/<gang>:<round>/
//         <rank>.<claimZxid>  ephemeral: a member that has its place, or runs
//         ready               made once: the round has started with the members that it names
//
//     1  exists(ready), with a watch: if it exists and does not name this member, the round goes on without it
//     2  create ephemeral <rank>.<claimZxid>
//     3  list: if all ranks are there: read them ; one transaction: set(each of them, version) ; create(ready)
//     4  wait for ready; if our node is deleted by hand meanwhile, from 1 again
//
// So no member starts unless all have their nodes at one moment, each with a live session. The transaction changes
// every member's node. A member leaves by a delete at the version of step 2. Either the delete comes first, and the
// round does not start; or it is refused, and the round has started.
//
//     a reply is lost    1 and 3 are repeated. The node of 2 bears the claim's zxid, so if it is there it is ours.
//     a member dies      Its node goes. Before 3 the transaction is refused, or sees that one is missing. The
//                        worker that claims the member next enters for it and looks again. After 3 the master finds the
//                        place empty.
//     the last one dies  between 2 and 3: its node goes, as above.
//     two do 3           The second is refused by the versions; it finds `ready`.
//     the claim is lost  (deleted by hand) and another worker enters for the same rank: the later zxid counts.
//     the session ends   The place is gone with it, as is the claim; the lease has killed the process before.
//     one is malformed   Another client has made it. The round does not begin with it: its worker and host would reach
//                        the environment of all members. The log names it, and the master withdraws the round.
//
// After the start, the node stays until the end of the attempt is reported (JobLocks). A node that goes without such an
// end is a lost member for the master.
class GangMemberNode
{
public:
    GangMemberNode(jobs::Cluster cluster, const ClaimedJob &job, jobs::GangMember self);
    // Gives up the place, without waiting for the server.
    ~GangMemberNode();
    GangMemberNode(const GangMemberNode &) = delete;
    GangMemberNode &operator=(const GangMemberNode &) = delete;

    // Enters the round. True: the round has started with this member. False: the round is over, its node is gone. If it
    // has started without this member, this waits for its end. Throws SessionLost.
    async::Task<bool> untilBegun();
    // After untilBegun() was destroyed: gives the place up. True: the round had started with this member, which keeps
    // its place and is to run. Throws SessionLost.
    async::Task<bool> leave();

    // The variables after the start: "DROVER_GANG_RANK=2" and so on.
    QList<QByteArray> environment() const;

private:
    async::Task<bool> enter();
    async::Task<bool> look(zk::Watch &changed);
    async::Task<void> awaitOthers(zk::Watch &changed);
    async::Task<bool> isThere(zk::Watch &gone);
    async::Task<bool> complete();
    async::Task<bool> hasBegun();
    async::Task<std::optional<bool>> leaveAt(qint32 &version);

    zk::Client &m_zk;
    jobs::JobId m_gang;
    int m_size;
    int m_round;
    jobs::GangPlaceName m_name;
    jobs::GangMember m_self;
    zk::Path m_path; // of the round
    jobs::GangStart m_start; // once begun
    bool m_entering = false; // its node may exist
    bool m_entered = false; // its node was created
};

} // namespace drover::workers
