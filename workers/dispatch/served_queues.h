#pragma once

#include "async/event.h"
#include "jobs/cluster/queue_settings.h"
#include "workers/attempts/worker_options.h"
#include "workers/claims/claimed_job.h"
#include "workers/claims/work_finder.h"

#include <functional>

namespace drover::workers {

// The queues that a worker serves, in turn, each with its settings and the jobs that are listed there.
//
// A queue that cannot be read, or is no longer there, is closed until it can. The log says so once. The others go on.
//
//     its settings cannot be read, or its listing fails:      close it ; after a pause read its settings again
//     it can be read again:                                   open it ; once that has held for two pauses, say so
class ServedQueues
{
public:
    struct Queue {
        WorkFinder finder;
        std::optional<jobs::QueueSettings> settings{}; // nothing: not read yet
        qint32 version = 0; // of the queue's node
        QString trouble{}; // why nothing is claimed from it; empty: nothing is wrong
        async::Event failed{}; // its listing has
        QString failure{}; // why

        const QByteArray &name() const { return finder.queue(); }
        bool open() const { return settings && !settings->paused; }
        bool limited() const { return settings && settings->limit > 0; }

        // Hides jobs from this worker until their nodes change.
        void exclude(const std::vector<ClaimedJob> &jobs);
        // Hides jobs while enough others wait for the lock that they need.
        void defer(const std::vector<ClaimedJob> &jobs, const LockContention &contention);
    };

    ServedQueues(jobs::Cluster cluster, const WorkerOptions &options,
                 const std::function<LockContention()> &contention);

    // Follows the settings, as long as the session lives; `onChange` is called for each change. Throws SessionLost.
    async::Task<void> follow(std::function<void(const Queue &)> onChange);
    void setMembers(const QByteArrayList &members);

    Queue &of(const QByteArray &name);
    bool anyOpen() const;
    // The first open queue with listed jobs; null if there is none.
    Queue *withWork();
    // Makes this queue the last one, after it was served. So no queue starves another.
    void moveToEnd(const Queue &queue);

    // Lists the open queues as soon as it is this worker's turn, until one has jobs or `interrupted` is set.
    async::Task<void> search(async::Event &interrupted);
    // Gives up this worker's place in the line of finders of each queue.
    void leaveLines();
    // Jobs that were passed over are candidates again.
    void lookAgain();

private:
    using OnChange = std::function<void(const Queue &)>;

    async::Task<void> followOne(Queue &queue, OnChange onChange);
    async::Task<void> followSettings(Queue &queue, OnChange onChange);
    async::Task<void> noteWorking(Queue &queue);
    static async::Task<void> searchOne(Queue &queue);
    static void note(Queue &queue, const QString &trouble);

    jobs::Cluster m_cluster;
    std::vector<std::unique_ptr<Queue>> m_queues;
};

} // namespace drover::workers
