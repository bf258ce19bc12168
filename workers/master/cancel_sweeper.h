#pragma once

#include "async/event.h"
#include "jobs/model/cluster.h"
#include "recipes/blocks/fence.h"
#include "workers/master/base/set_aside.h"
#include "workers/master/base/troubles.h"
#include "zk/client.h"

#include <map>

namespace drover::workers {

// The master's duty towards jobs that were cancelled while they ran. Their workers end them; this ends the jobs of
// workers that are lost before they could.
//
//     follow cancels/, where jobs::cancel creates a note for each such job; once a second, while there are any:
//     read the claims of these jobs
//     the claim is gone:    cancel the job (jobs::cancel), which ends it unless it has ended
//                           check(master) ; remove the note
//
// One transaction creates the note and the mark in the job's node, which stays. So only jobs that a user has cancelled
// are cancelled here. If the master dies between the two steps, the next one finds the note. A job whose node may not
// be deleted, or has children, is set aside for a minute (SetAside). The others go on. So is a note that is no job's,
// as another program may have made one, and that may not be removed.
class CancelSweeper
{
public:
    static constexpr std::chrono::seconds Interval{1};
    static constexpr std::chrono::minutes AsideFor{1}; // until a job that could not be ended is tried again

    // `troubles` outlives this object.
    CancelSweeper(jobs::Cluster cluster, Troubles &troubles) : m_cluster(std::move(cluster)), m_troubles(troubles) { }

    // Throws Deposed, SessionLost, AccessDenied.
    async::Task<void> run(recipes::Fence fence);

private:
    async::Task<void> follow();
    async::Task<void> sweepAll(recipes::Fence fence);
    async::Task<void> sweep(QByteArrayList names, recipes::Fence fence);
    async::Task<void> settle(QByteArray name, recipes::Fence fence);
    async::Task<bool> removeNote(QByteArray name, recipes::Fence fence);
    void keepStrangers(const QByteArrayList &names);
    async::Task<void> settleStranger(QByteArray name, recipes::Fence fence);

    jobs::Cluster m_cluster;
    QByteArrayList m_noted;
    async::Event m_changed;
    DutyTroubles m_troubles;
    SetAside m_setAside{m_cluster.zk.loop(), m_troubles, AsideFor, QStringLiteral("the cancelled job %1")};
    std::map<QByteArray, async::TimePoint>
        m_strangers; // notes of no job that could not be removed: until when they stay
};

} // namespace drover::workers
