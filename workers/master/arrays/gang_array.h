#pragma once

#include "workers/master/arrays/gang_round.h"
#include "workers/master/arrays/gang_scheduler.h"

namespace drover::workers {

// A gang: an array whose tasks, its members, are made, begin and end together, round by round.
//
//     1  it is its turn (GangScheduler): one transaction: guard ; set(gang, its members open, version) ; create
//        gangs/<gang>:<round> ; create the members' entries
//     2  the members enter and begin (GangMemberNode); the master follows the round's children
//     3  a member has failed, or its place is gone while its entry is still there (a reported end would have removed
//        the entry before): set(gang, the round's fate, version) ; then cancel the other members, as with an array
//     4  not begun in time: guard ; set(gang, withdrawn, version) ; create(ready), which names no member. Then remove
//        the members, many in one transaction: guard ; set(gang, these counted, version) ; remove(each).
//        Once the round's node has been deleted by hand no member can begin: guard ; set(gang, withdrawn) alone, at
//        once; then cancel the members as in 3, for some may have begun before
//     5  all have ended: remove what is left of the round ; one transaction: guard ; remove(gangs/<gang>:<round>) ;
//        either set(gang, the next round and its time) or remove(gang) ; create(done/<gang>)
//
// Each of these is repeatable, because the gang's node says what was decided before it is done. In 4 either the members
// make `ready` or the master does. A gang is never a member short, because its next round has members of its own. No
// worker claims a member of an earlier round any more, because all of these have ended in 5.
class GangArray final : public ExpandingArray
{
public:
    // `scheduler` outlives it.
    GangArray(const ArrayContext &context, GangScheduler &scheduler, jobs::QueueEntry entry)
        : ExpandingArray(context, entry), m_scheduler(scheduler), m_round(m_cluster, m_id, m_wake)
    {
    }
    ~GangArray() override { m_scheduler.release(m_id); }

    bool waits() const override { return !m_spec.notes.cancelled && !m_round.isUnderWay(m_progress); }
    bool hasMore() const override { return false; }
    bool sharesRoom() const override { return false; }

private:
    struct Change {
        jobs::ArrayProgress progress;
        jobs::GangRounds rounds;
    };

    bool isOfThisKind(const jobs::JobSpec &spec) const override { return spec.gang > 0; }
    void readMore(const jobs::JobSpec &spec, const QByteArray &stored) override;
    async::Task<Step> bringForward(ListedTasks listed, Ended ended, int mayBeOpen) override;
    async::Task<Step> carryOut(ListedTasks listed, Change change);

    async::Task<Step> beginRound();
    async::Task<Step> makeMembers(Change change);
    async::Task<Step> withdrawIfHopeless();
    async::Task<Step> removeMembers(ListedTasks listed);
    async::Task<bool> dropBlocked(ListedTasks &listed);
    async::Task<Step> endRound();

    QByteArray dataWith(const Change &change) const;
    async::Task<bool> store(Change change, std::vector<NewNode> nodes);
    enum class Stored { Yes, ArrayChanged, OthersRefused };
    async::Task<Stored> storeWith(Change change, zk::Transaction others);
    void setRounds(const jobs::GangRounds &rounds);

    void wakeAt(std::chrono::milliseconds time);

    GangScheduler &m_scheduler;
    GangRound m_round; // the present one
    bool m_isBlocked = false; // logged: nodes of the round cannot be removed
    async::Timer m_due;
};

} // namespace drover::workers
