#pragma once

#include "jobs/array_progress.h"
#include "jobs/job_lookup.h"
#include "recipes/fence.h"
#include "workers/gang_turn.h"
#include "workers/round_watch.h"
#include "workers/task_ends.h"

#include <QSet>

#include <functional>

namespace drover::workers {

// The unfinished tasks of one array, by index, as a listing of its queue shows them.
using ListedTasks = QHash<qint32, jobs::QueueEntry>;

// One array in the hands of the master: what is known of its node, and the transactions that bring it forward. The
// protocol is told in Unfolder. A gang is one whose tasks are made, begin and end together, round by round:
//
//     1  it is its turn (GangTurn): one transaction: guard ; set(gang, its members open, version) ; create
//        gangs/<gang>:<round> ; create the members' entries
//     2  the members enter and begin (GangPlace); follow the round's children
//     3  one has failed, or its place is gone while its entry is still there (its end would have removed that before):
//        set(gang, what the round comes to, version) ; then cancel the other members, as with an array
//     4  not begun in time: guard ; set(gang, withdrawn) ; create(ready), which nobody is named in ; then remove them,
//        many in one transaction: guard ; set(gang, these counted, version) ; remove(each). Once somebody has deleted
//        the round's node nobody can begin: guard ; set(gang, withdrawn) alone, at once; then cancel them as in 3, for
//        some may have begun before
//     5  all have ended: remove what is left of the round ; one transaction: guard ; remove(gangs/<gang>:<round>) ;
//        either set(gang, the next round and its time) or remove(gang) ; create(done/<gang>)
//
// Each of these is repeatable: what was decided is in the gang's node before it is done. In 4 either the members make
// `ready` or the master does. A gang is never a member short: its next round has members of its own, and nobody claims
// one of an earlier round any more, because all of these have ended in 5.
class UnfoldingArray
{
public:
    // All that is referred to outlives this. `wake`: advance() is to be called again, though its queue is as it was;
    // called from the loop.
    UnfoldingArray(zk::Coordinator &zk, const jobs::Layout &layout, const recipes::Fence &fence, TaskEnds &ends,
                   GangTurn &turn, QByteArray queue, jobs::QueueEntry entry, std::function<void()> wake);
    ~UnfoldingArray();
    UnfoldingArray(const UnfoldingArray &) = delete;
    UnfoldingArray &operator=(const UnfoldingArray &) = delete;

    enum class Step {
        Done, // nothing more to do until something changes
        Again, // something was in the way: look() and try again
        Gone, // it has ended, or was deleted or moved by somebody
    };

    // Reads its node if that is another than the one known. Done, Again or Gone.
    async::Task<Step> look();

    // Counts the open tasks that are not in `listed`, which was listed after look(); opens more, up to `mayBeOpen`;
    // ends the array when all are counted. Throws Deposed, SessionLost, AccessDenied.
    async::Task<Step> advance(ListedTasks listed, int mayBeOpen);

    // Tasks. Those of gangs are as many as they are.
    int open() const { return static_cast<int>(m_progress.open.size()); }
    bool isOpen(qint32 index) const;
    qint32 unfolded() const { return m_progress.next; }
    bool isGang() const { return m_spec.gang > 0; }
    // It is held, or a gang of which no round is under way: it waits for something other than its tasks.
    bool waits() const;
    // It would open more tasks if it might.
    bool hasMore() const;

private:
    qint32 count() const { return m_spec.array->count(); }
    jobs::JobId taskAt(qint32 place) const { return {m_id.queue, m_id.number, m_spec.array->at(place)}; }
    int chunk() const;

    void read(const zk::Node &node);
    struct Counted {
        bool known = true; // how each of them ended; others stay open
        std::vector<std::pair<qint32, TaskEnd>> ends; // by their places
    };
    struct Change {
        jobs::ArrayProgress progress;
        jobs::GangRounds rounds; // of a gang
        std::vector<qint32> places; // of the tasks to be made
        std::optional<zk::Path> round{}; // of a gang: to be made
    };
    async::Task<Counted> countEnded(ListedTasks listed, jobs::ArrayProgress &progress);
    async::Task<bool> unfold(jobs::ArrayProgress progress, int mayBeOpen);
    async::Task<bool> commit(Change change);
    QByteArray storedWith(const Change &change) const;
    void noteStored(const Change &change, const QByteArray &data);
    async::Task<bool> cancelTasks(ListedTasks listed, QString reason);
    bool wasAsked(const jobs::JobView &task);
    async::Task<bool> cancelTogether(std::vector<jobs::JobView> tasks, QString reason);
    async::Task<Step> end(jobs::FinalRecord record, std::optional<zk::Path> round = std::nullopt);
    jobs::FinalRecord recordOf(const jobs::ArrayProgress &progress) const;

    // Of gangs, in unfolding_gang.cpp.
    async::Task<Step> advanceGang(ListedTasks listed, jobs::ArrayProgress progress, Counted counted);
    async::Task<Step> goOn(ListedTasks listed, Change change);
    async::Task<Step> beginRound();
    async::Task<Step> makeMembers(Change change);
    async::Task<Step> withdrawIfHopeless();
    async::Task<Step> removeMembers(ListedTasks listed);
    async::Task<Step> endRound();
    async::Task<Step> nextRound(jobs::GangRounds next, std::optional<zk::Path> round);
    async::Task<void> findLost(ListedTasks listed, const jobs::ArrayProgress &progress, jobs::GangRounds &rounds);
    async::Task<void> findBegin();
    async::Task<bool> clearRound(std::optional<zk::Path> &round);
    void noteFailure(const Counted &counted, jobs::GangRounds &rounds) const;
    std::optional<jobs::GangRounds> roundAfter() const;
    jobs::FinalRecord recordOfGang() const;
    bool roundHasBegun() const;
    void watchRound();
    void wakeAt(std::chrono::milliseconds time);
    jobs::GangSize gang() const { return {m_spec.gang}; }

    zk::Coordinator &m_zk;
    const jobs::Layout &m_layout;
    const recipes::Fence &m_fence;
    TaskEnds &m_ends;
    GangTurn &m_turn;
    std::function<void()> m_wake;
    jobs::JobId m_id;
    jobs::QueueEntry m_entry;
    zk::Path m_path;

    zk::Zxid m_czxid = 0; // of the node that was read, and its version
    qint32 m_version = 0;
    QByteArray m_stored;
    jobs::JobSpec m_spec;
    jobs::ArrayProgress m_progress;
    jobs::GangRounds m_rounds;
    std::unique_ptr<RoundWatch> m_watch; // of a gang's round that is under way
    bool m_isBlocked = false; // what is left of that cannot be removed, which was told
    async::Timer m_due;
    async::Timer m_recount; // of those whose ends the history did not tell
    QByteArray m_task; // what its tasks' nodes hold
    QSet<qint32> m_asked; // indices of running tasks whose workers have been asked to kill them
};

} // namespace drover::workers
