#pragma once

#include "jobs/model/claim.h"
#include "jobs/model/layout.h"
#include "support/fake/fake_zookeeper.h"
#include "workers/invariants/array_invariants.h"
#include "workers/invariants/dedupe_invariants.h"
#include "workers/invariants/gang_invariants.h"
#include "workers/invariants/singleton_invariants.h"
#include "workers/sim_runner.h"

#include <QSet>
#include <QStringList>

namespace drover::test {

// Looks at every transaction that a FakeZooKeeper commits, and says what must never happen:
//
//     1  every acknowledged job ends in exactly one final record
//     2  only submitted jobs run; a submit with an unknown outcome appears zero or one time
//     4  at most one completion of a job is accepted
//     5  at an accepted write of the master its session owned the lowest election node
//     6  an accepted write under a lock bears its holder's token, and tokens never fall
//     -  no two processes of one job run at the same time
//     -  no two jobs that hold one lock run at the same time, and no worker runs more than its slots, or what needs a
//        label that it has not
//     -  no job is given up before it has begun as often as it may
//     -  no job ends because a machine could not start it
//     -  no job of a paused queue is claimed
//     -  the result of a run is that of the job's last claim: of its worker and its attempt, whichever of its lives
//        tells
//     -  only the master makes a waiting job ready, and no worker claims it before its time or before the jobs that it
//        waits for have ended as they should
//     -  a job that was cancelled while it ran is not claimed again
//     -  a retry is noted for a time that is not soon by the servers' clock
//     -  what is said of keys (DedupeInvariants), arrays (ArrayInvariants), permits (PermitInvariants), gangs
//        (GangInvariants) and singletons (SingletonInvariants)
//
// The numbers are those of the protocol's invariants. Outlives nothing: call the final checks before the server goes.
class ClusterInvariants
{
public:
    ClusterInvariants(FakeZooKeeper &server, jobs::Layout layout, zk::Path lock, zk::Path guarded);

    void submitted(const QString &key) { m_submitted.insert(key); }
    void acknowledged(const jobs::JobId &id);
    void acknowledged(const jobs::JobId &id, const jobs::JobSpec &submitted)
    {
        acknowledged(id);
        expectNone(m_dedupe.onAcknowledged(id, submitted));
    }
    // The session that deletes nodes as a person would. A job that it deletes does not count as acknowledged, and has
    // ended for the jobs that wait for it. It gets no final record.
    void setManualDeleter(zk::SessionId session) { m_manualDeleter = session; }

    // Once the faults have stopped and the work is done.
    void checkFinalState(const QByteArrayList &queues, int liveWorkers);
    // An execution whose worker was evicted counts until then only.
    void checkExecutions(std::vector<Execution> witness, int slotsPerWorker);
    void checkGangs(const std::vector<Execution> &witness) { m_violations += m_gangs.checkExecutions(witness); }
    const ArrayInvariants &arrays() const { return m_arrays; }
    const GangInvariants &gangs() const { return m_gangs; }
    const PermitInvariants &permits() const { return m_permits; }

    bool allAcknowledgedAreDone() const;
    qint64 gaveUp() const { return m_gaveUp; } // jobs whose attempts were used up
    qint64 waited() const { return m_waited; }
    const SingletonInvariants &singletons() const { return m_singletons; }
    qint64 lockWaits() const { return m_lockWaits; }
    // Claims made ahead of their slots, of jobs that have run then.
    qint64 timesNoted() const { return m_retriesNoted + m_gangs.timesNoted(); } // of retries, and of rounds
    qint64 saidToRun() const { return static_cast<qint64>(m_saidToRun.size()); }
    const QStringList &violations() const { return m_violations; }

private:
    void onCommit(const FakeZooKeeper::Commit &commit);
    void onOperation(const FakeZooKeeper::Commit &commit, const zk::Transaction::Operation &operation);
    void onMoved(const FakeZooKeeper::Commit &commit, const zk::Transaction::Create &job);
    void onClaim(const FakeZooKeeper::Commit &commit, const jobs::JobId &id, const QByteArray &claim);
    void onClaimSet(const FakeZooKeeper::Commit &commit, const jobs::JobId &id, const QByteArray &claim);
    void onBegun(const FakeZooKeeper::Commit &commit, const jobs::JobId &id);
    void onTaskMade(const FakeZooKeeper::Commit &commit, const zk::Transaction::Create &task);
    void onDeletedByHand(const zk::Path &path);
    void onStored(const zk::Path &path, const QByteArray &data);
    void onDone(const zk::Path &path, const QByteArray &record);
    void onWaiting(const QByteArray &spec, const zk::Path &path);
    void expectConditionsMet(const jobs::JobId &id);
    void expectOwner(const FakeZooKeeper::Commit &commit, const zk::Path &line, const char *what);
    const FakeTree::Znode *lowestOf(const zk::Path &line) const;
    QByteArrayList childrenOf(const zk::Path &path) const;
    void violation(const QString &what) { m_violations.append(what); }
    void expectNone(const QString &what)
    {
        if (!what.isEmpty())
            violation(what);
    }

    FakeZooKeeper &m_server;
    jobs::Layout m_layout;
    zk::Path m_lock;
    zk::Path m_guarded;
    PermitInvariants m_permits{m_server, m_layout};
    DedupeInvariants m_dedupe{m_layout};
    ArrayInvariants m_arrays;
    GangInvariants m_gangs{m_server, m_layout, m_permits};
    QSet<QString> m_submitted; // keys
    QSet<QByteArray> m_acknowledged; // ids
    QSet<QByteArray> m_done;
    QSet<QByteArray> m_deleted; // by hand
    zk::SessionId m_manualDeleter = 0;
    QSet<QByteArray> m_begun; // also arrays and gangs, which are never claimed
    QHash<QByteArray, int> m_begins; // how often each job has been claimed as an attempt
    QHash<QByteArray, int> m_allowed; // how often it may be lost
    QHash<QByteArray, jobs::Claim> m_claims; // the last of each job
    std::vector<std::pair<QByteArray, async::TimePoint>> m_saidToRun; // jobs that were claimed ahead, and when
    QSet<QString> m_doneKeys;
    QHash<QByteArray, jobs::JobState> m_ends; // how each job ended
    std::map<jobs::JobId, jobs::JobId> m_movedTo; // what those in another queue have become
    SingletonInvariants m_singletons{m_server, m_layout, m_movedTo};
    QHash<jobs::JobId, jobs::JobSpec> m_waiting; // what each job or array waited for last
    qint64 m_lockWaits = 0; // told in claims
    qint64 m_waited = 0; // claims of jobs that had waited
    qint64 m_retriesNoted = 0;
    qint64 m_highestToken = 0;
    qint64 m_gaveUp = 0;
    QStringList m_violations;
};

} // namespace drover::test
