#pragma once

#include "async/event.h"
#include "jobs/cluster.h"

#include <memory>

namespace drover::jobs {

// Puts jobs into queues. An id that submit() returns is durable: the job runs, whatever fails.
//
//     submit: create sequential queues/<queue>/<class><priority>- with the spec ; tell the master if it is for it
//                                                                                  -- one round trip
//     if the reply was lost: wait for the connection, sync, look for the spec's key among the queue's jobs and the
//     final records; only if it is nowhere, create again
//
// A job with JobSpec::dedupe is submitted once for each such key and queue, as long as it is unfinished or its record
// is in done/; who submits it again gets the id of the first:
//
//     read dedupe/<queue>/<hash of the key>; if the job that it names is there: its id, and that is all
//     one transaction: create the job ; create the mark with JobSpec::key, or set the stale one at the version read
//     set the mark: with the job's id                  -- for those to come; without it they search for the key
//     if the transaction is refused, another was faster; if its reply was lost: look at the mark, which is ours if it
//     was carried out
//
// What no longer has a job the master removes (workers/DedupeSweeper).
//
// The search reads the queue, and is the price of a lost reply alone. A queue's limit is checked against its child
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
          m_waits(m_onFull != nullptr)
    {
    }

    // Gives the spec a key if it has none. Several may be under way at once: they share round trips. Throws
    // SpecTooLarge, QueueFull, NotFound (no such queue), SessionLost: then the job may have been submitted or not. Of a
    // job with `dedupe` also WrongState: it was submitted, and has ended and been forgotten while its reply was lost.
    async::Task<JobId> submit(JobSpec spec);

    // From now on nobody waits for room: those who do have QueueFull thrown within a second.
    void stopWaiting() { m_waits = false; }

private:
    struct Made {
        zk::Code code;
        zk::Path path; // with its number
    };

    // What is known of the room in a queue.
    struct Room {
        qint64 free = 0; // none is known of at first
        qint64 taken = 0; // of all that was ever free
        qint64 submitted = 0;
        int counts = 0; // how often it was counted
        bool counting = false; // who comes has to wait
        async::Event counted{};
    };
    class Counting;

    async::Task<JobId> submitAlways(JobSpec spec, QByteArray data);
    async::Task<JobId> submitOnce(JobSpec spec, QByteArray data);
    async::Task<void> noteId(zk::Path mark, QString key, JobId id, qint32 version);
    JobId requireNumber(const Made &made, const QByteArray &queue);
    async::Task<Made> make(zk::Path path, QByteArray data, bool forMaster);
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
};

// ZooKeeper would give the last number again: a job that has it, or is refused it, cannot be taken.
QueueFull numbersUsedUp(const QByteArray &queue);

} // namespace drover::jobs
