#pragma once

#include "jobs/gang.h"
#include "workers/claimed_job.h"
#include "zk/coordinator.h"

#include <memory>

namespace drover::workers {

// The place of one member in a round of its gang, at the worker that has claimed it and keeps room for it.
//
//     gangs/<gang>:<round>/
//         <rank>.<token>     ephemeral: a member that has its place, or runs
//         ready              made once: the round has begun with those that it names
//
//     1  exists(ready), with a watch: if it is there and does not name us, the round goes on without us
//     2  create ephemeral <rank>.<token>
//     3  list: if all ranks are there: read them ; one transaction: set(each of them, version) ; create(ready)
//     4  wait for ready; if our node goes meanwhile, by another hand, from 1 again
//
// So nobody begins unless all are there at one moment, each with a live session. The transaction changes every member's
// node: who leaves, which is a delete at the version of 2, either comes before it, and the round does not begin, or is
// refused, and has begun.
//
//     a reply is lost    1 and 3 are repeated. The node of 2 bears the claim's token, so if it is there it is ours.
//     a member dies      Its node goes. Before 3 the transaction is refused, or sees that one is missing; whoever
//                        claims the member next enters for it and looks again. After 3 the master finds the place empty.
//     the last one dies  between 2 and 3: its node goes, as above.
//     two do 3           The second is refused by the versions; it finds `ready`.
//     the claim is lost  (deleted by hand) and another worker enters for the same rank: the later token counts.
//     the session ends   The place is gone with it, as is the claim; the lease has killed the process before.
//
// Once begun, the node is there until the end of the attempt has been reported (Holding). The master takes a node that
// has gone without such an end for a lost member.
class GangPlace
{
public:
    GangPlace(zk::Coordinator &zk, const jobs::Layout &layout, const ClaimedJob &job, jobs::GangMember self);
    // Gives the place up, without waiting for the server.
    ~GangPlace();
    GangPlace(const GangPlace &) = delete;
    GangPlace &operator=(const GangPlace &) = delete;

    // Enters, and returns when the round has begun with us: true; or when the round's node is gone, because it is over:
    // false. If it has begun without us it waits for that. Throws SessionLost.
    async::Task<bool> untilBegun();
    // After untilBegun() was destroyed: gives the place up. True if the round had begun with us: it is kept, and the
    // member is to run. Throws SessionLost.
    async::Task<bool> leave();

    // Once begun: "DROVER_GANG_RANK=2" and so on.
    QList<QByteArray> environment() const;

private:
    async::Task<bool> enter();
    async::Task<bool> look(zk::Watch &changed);
    async::Task<void> awaitOthers(zk::Watch &changed);
    async::Task<bool> isThere(zk::Watch &gone);
    async::Task<bool> complete();
    async::Task<bool> hasBegun();
    async::Task<std::optional<bool>> leaveAt(qint32 &version);

    zk::Coordinator &m_zk;
    jobs::JobId m_gang;
    int m_size;
    int m_round;
    jobs::GangPlaceName m_name;
    jobs::GangMember m_self;
    zk::Path m_path; // of the round
    jobs::GangStart m_start; // once begun
    bool m_entering = false; // its node may be there
    bool m_entered = false; // it was
};

} // namespace drover::workers
