#pragma once

#include "async/event.h"
#include "jobs/batch_creator.h"
#include "jobs/cluster.h"
#include "jobs/dedupe.h"

#include <memory>

namespace drover::jobs {

// The job was submitted, once, and its id is not known: the reply that held it was lost, and the job was not found
// afterwards. Its record has been archived and deleted, or the session ended during the search. The history has its key.
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
//            create or set our receipt submitters/_r_<uuid>, an ephemeral node that nobody else writes
//                                                                                  -- one round trip
//     3. if the reply was lost: wait for the connection, sync, read the receipt. Its version tells whether the
//        transaction was carried out, also when the jobs have ended and have been archived and deleted since.
//            it was not: send it again; the version keeps a late first request from being carried out, too
//            it was: search the queue and done/ for the keys, from the last number known on; one search for all
//     4. if the session ended before step 3 could read the receipt: nobody can decide it. SubmittedOrNot is thrown
//
// What step 3 cannot find has been submitted: IdUnknown says so, and the history may tell the id.
//
// A job with JobSpec::dedupe is submitted once for each such key and queue, as long as it is unfinished or its record
// is in done/; who submits it again gets the id of the first:
//
//     read dedupe/<queue>/<hash of the key>; if the job that it names is there: its id, and that is all
//     step 2, of this job alone, with: create the mark with JobSpec::key, or set the stale one at the version read
//     set the mark: with the job's id                  -- for those to come; without it they search for the key
//     if the mark refused the transaction, another was faster: read it again
//
// What no longer has a job the master removes (workers/DedupeSweeper).
//
// A queue's limit is checked against its child
// count, read before the first job, after every 256, and when the room that was seen is used up: what one Submitter
// submits stays within it, what others do at the same time may pass it by as much as they submit between two counts.
// Who waits for room in a full queue has it counted again after a pause, by the limit that is set then: two reads each
// time, however many wait in one Submitter. Those of several see the same room, and may pass the limit by as much. The
// times of a job, its delay too, count from before the wait.
//
// Numbers have the order of the calls to submit(), however many are under way: those who come while the first count is
// read wait for it in line, later counts keep nobody waiting. Two things make a job come behind later ones: a lost
// request, which is sent again, and `dedupe`, whose mark is read first.
class Submitter
{
public:
    // Told each time that a submit begins to wait, which queue is full, and how many jobs that are.
    using OnFull = std::function<void(const QByteArray &queue, qint64 limit)>;

    // With `onFull` submits wait while their queue is full; without, they throw.
    Submitter(zk::Coordinator &zk, Layout layout, ClusterConfig config, OnFull onFull = {})
        : m_zk(zk), m_layout(std::move(layout)), m_config(config), m_onFull(std::move(onFull)),
          m_waits(m_onFull != nullptr), m_creator(zk, m_layout)
    {
    }

    // Gives the spec a key if it has none. Several may be under way at once: they share round trips. Throws
    // SpecTooLarge, QueueFull, NotFound (no such queue), zk::SessionLost: it was not submitted. IdUnknown: it was.
    // SubmittedOrNot: that cannot be decided.
    async::Task<JobId> submit(JobSpec spec);

    // From now on nobody waits for room: those who do have QueueFull thrown within a second.
    void stopWaiting() { m_waits = false; }

    // The session ends soon: it deletes the receipts, which saves a request.
    void leaveToSession() { m_creator.receipts().leaveToSession(); }

private:
    using Made = BatchCreator::Made;

    // What is known of the room in a queue.
    struct Room {
        qint64 free = 0; // none is known of at first
        qint64 taken = 0; // of all that was ever free
        qint64 submitted = 0;
        qint32 from = 0; // the number of the queue's next job is at least this
        int counts = 0; // how often it was counted
        bool counting = false; // who comes has to wait
        async::Event counted{};
    };
    class Counting;

    async::Task<JobId> submitAlways(JobSpec spec, QByteArray data);
    async::Task<JobId> submitOnce(JobSpec spec, QByteArray data);
    async::Task<void> noteId(zk::Path mark, QString key, JobId id, qint32 version);
    NewJob newJob(const JobSpec &spec, const QByteArray &data);
    JobId requireNumber(const Made &made, const NewJob &job);
    async::Task<Deduped> findDeduped(QByteArray queue, QString dedupe);
    async::Task<std::optional<JobId>> findMarked(QByteArray queue, DedupeMark mark);
    async::Task<void> requirePlaces(QByteArray queue, zk::Path mark);
    std::shared_ptr<Room> roomOf(const QByteArray &queue);
    async::Task<void> takeRoom(QByteArray queue);
    async::Task<void> count(std::shared_ptr<Room> room, QByteArray queue);
    async::Task<void> countUntilFree(std::shared_ptr<Room> room, QByteArray queue);
    async::Task<void> countInTime(QByteArray queue);

    zk::Coordinator &m_zk;
    Layout m_layout;
    ClusterConfig m_config;
    OnFull m_onFull;
    bool m_waits;
    std::map<QByteArray, std::shared_ptr<Room>> m_rooms;
    BatchCreator m_creator; // last: its tasks use the rest
};

// ZooKeeper would give the last number again: a job that has it, or is refused it, cannot be taken.
QueueFull numbersUsedUp(const QByteArray &queue);

} // namespace drover::jobs
