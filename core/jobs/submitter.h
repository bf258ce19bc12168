#pragma once

#include "jobs/cluster.h"

namespace drover::jobs {

// Puts jobs into queues. An id that submit() returns is durable: the job runs, whatever fails.
//
//     submit: create sequential queues/<queue>/<class><priority>- with the spec ; tell the master if it is for it
//                                                                                  -- one round trip
//     if the reply was lost: wait for the connection, sync, look for the spec's key among the queue's jobs and the
//     final records; only if it is nowhere, create again
//
// The search reads the queue, and is the price of a lost reply alone. A queue's limit is checked against its child
// count, read before the first job and again after every 256: it is a guard against floods, not an exact bound.
class Submitter
{
public:
    Submitter(zk::Coordinator &zk, Layout layout, ClusterConfig config)
        : m_zk(zk), m_layout(std::move(layout)), m_config(config)
    {
    }

    // Gives the spec a key if it has none. Several may be under way at once: they share round trips. Throws
    // SpecTooLarge, QueueFull, NotFound (no such queue), SessionLost: then the job may have been submitted or not.
    async::Task<JobId> submit(JobSpec spec);

private:
    struct Made {
        zk::Code code;
        zk::Path path; // with its number
    };

    async::Task<Made> make(zk::Path path, QByteArray data, bool forMaster);
    async::Task<void> requireRoom(QByteArray queue);

    struct Room {
        std::optional<qint64> free; // unknown at first
        int checkIn = 0; // submits until the count is read again
    };

    zk::Coordinator &m_zk;
    Layout m_layout;
    ClusterConfig m_config;
    std::map<QByteArray, Room> m_rooms;
};

// The job of this queue that was submitted with that key, unfinished or with its final record still there. It reads the
// whole queue. Throws SessionLost.
async::Task<std::optional<JobId>> findByKey(zk::Coordinator &zk, Layout layout, QByteArray queue, QString key);

// ZooKeeper would give the last number again: a job that has it, or is refused it, cannot be taken.
QueueFull numbersUsedUp(const QByteArray &queue);

} // namespace drover::jobs
