#pragma once

#include "async/event.h"
#include "jobs/audit/actor_name.h"
#include "jobs/client/batch_creator.h"
#include "jobs/client/dedupe.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/model/job_spec.h"
#include "jobs/signing/signing_lane.h"

#include <memory>

namespace drover::jobs {

// The job was submitted, once, and its id is not known: the reply that held it was lost, and the job was not found
// afterwards. Its record has been archived and deleted, or the session ended during the search. The history has its
// key.
class IdUnknown : public WrongState
{
public:
    IdUnknown(QByteArray inQueue, QString ofKey, qint32 leastNumber);

    QByteArray queue;
    QString key; // FinalRecord::key
    qint32 from; // its number is at least this
};

// Puts jobs into queues. An id that submit() returns is durable: the job runs, whatever fails. A job is submitted once,
// whatever is lost:
//
//     1. take room in the queue (below)
//     2. one transaction, for all submits of the queue that are wanted at this moment, one or up to 64 (BatchCreator):
//            create sequential queues/<queue>/<class><priority>- with the spec, for each
//            set waiting/<queue>, if the master has to look at one of them
//            create or set our receipt submitters/_r_<uuid>, an ephemeral node that only this Submitter writes
//                                                                                  -- one round trip
//     3. if the reply was lost: wait for the connection, read the receipt. Its version tells whether the
//        transaction was carried out, also when the jobs have ended and have been archived and deleted since.
//            it was not: send it again; the version keeps a late first request from being carried out, too
//            it was: search the queue and done/ for the keys, from the last number known on; one search for all
//     4. if the session ended before step 3 could read the receipt: the outcome stays unknown (SubmittedOrNot)
//
// A job that step 3 knows to be submitted and cannot find has an unknown id: IdUnknown. The history may have it.
//
// A job with JobSpec::dedupe is submitted once for each key and queue, while it is unfinished or its record is in
// done/. Another submit with that key returns the id of the first job:
//
//     read dedupe/<queue>/<hash of the key>; if the job that the mark names exists: return its id
//     step 2, for this job alone, with: create the mark with JobSpec::key, or set a stale mark at the version read
//     set the mark with the job's id                   -- for later submits; without the id they search for the key
//     if the mark refused the transaction, another submit was faster: read the mark again
//
// The master removes marks that no longer have a job (workers/DedupeSweeper).
//
// A queue's limit is checked against its child count. The count is read before the first job, after every 256 jobs, and
// when the room that was seen is used up. One Submitter stays within the limit. Several at once may pass it by the jobs
// that they submit between two counts. In a full queue a waiting submit counts again after a pause, by the limit that
// is set then. That takes two reads, however many submits wait in one Submitter. The times of a job count from before
// the wait.
//
// Jobs get their numbers in the order of the calls to submit(), however many calls are under way. Calls that come while
// the first count is read wait for it in line; later counts delay no call. A job comes behind later ones in two cases.
// Its request was lost and is sent again, or it has `dedupe`, whose mark is read first.
class Submitter
{
public:
    // Called each time that a submit begins to wait, with the full queue and its limit of jobs.
    using OnFull = std::function<void(const QByteArray &queue, qint64 limit)>;

    // A cluster with credentials gets signed jobs; throws trust::Untrusted if the credentials have no certificate.
    // With `onFull` submits wait while their queue is full; without, they throw.
    Submitter(Cluster cluster, ClusterConfig config, OnFull onFull = {})
        : m_cluster(std::move(cluster)), m_config(config), m_onFull(std::move(onFull)), m_waits(m_onFull != nullptr),
          m_creator(m_cluster)
    {
        if (m_cluster.credentials)
            m_signing.emplace(m_cluster);
    }

    // Several calls may be in progress; they share round trips. A job without a key (JobSpec::key) gets one. After
    // SpecTooLarge, QueueFull, NotFound (no such queue) and zk::SessionLost the job was not submitted. After IdUnknown
    // it was. After SubmittedOrNot the outcome is unknown.
    async::Task<JobId> submit(JobSpec job);

    // How many submits have returned the id of an earlier job with the same dedupe key.
    qint64 foundEarlier() const { return m_foundEarlier; }

    // Later submits do not wait for room. The submits that wait now throw QueueFull within a second.
    void stopWaiting() { m_waits = false; }

    // Call it if the session ends soon: the receipts are then deleted with the session, which saves a request.
    void leaveToSession() { m_creator.receipts().leaveToSession(); }

private:
    using Made = BatchCreator::Made;
    using NewJobPtr = std::shared_ptr<const NewJob>;

    // The known room of a queue.
    struct Room {
        qint64 free = 0; // none is known of at first
        qint64 taken = 0; // all room taken so far
        qint64 submitted = 0;
        qint32 from = 0; // the number of the queue's next job is at least this
        int counts = 0; // how often it was counted
        bool counting = false; // other submits have to wait
        async::Event counted{};
    };
    class Counting;

    async::Task<JobId> submitAlways(NewJobPtr job);
    async::Task<JobId> submitOnce(NewJobPtr job);
    async::Task<void> noteId(zk::Path mark, QString key, JobId id, qint32 version);
    JobId requireNumber(const Made &made, const JobSpec &spec, qint32 from);
    async::Task<Deduped> findDeduped(QByteArray queue, QString dedupe);
    async::Task<std::optional<JobId>> findMarked(QByteArray queue, DedupeMark mark);
    async::Task<void> requireNodes(QByteArray queue, zk::Path mark);
    std::shared_ptr<Room> roomOf(const QByteArray &queue);
    async::Task<void> takeRoom(QByteArray queue);
    async::Task<void> count(std::shared_ptr<Room> room, QByteArray queue);
    async::Task<void> countUntilFree(std::shared_ptr<Room> room, QByteArray queue);
    async::Task<void> countInTime(QByteArray queue);

    Cluster m_cluster;
    ClusterConfig m_config;
    OnFull m_onFull;
    bool m_waits;
    qint64 m_foundEarlier = 0;
    std::map<QByteArray, std::shared_ptr<Room>> m_rooms;
    std::optional<SigningLane> m_signing; // in a closed cluster
    BatchCreator m_creator; // last: its tasks use the rest
};

// ZooKeeper would give the last number again: a job that has it, or is refused it, cannot be taken.
QueueFull numbersUsedUp(const QByteArray &queue);

// Notes submitterName() and the present time in the job, for display alone.
void noteSubmit(JobSpec &spec);

} // namespace drover::jobs
