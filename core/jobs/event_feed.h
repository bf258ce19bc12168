#pragma once

#include "async/first_failure.h"
#include "async/task_group.h"
#include "jobs/layout.h"
#include "jobs/records.h"
#include "zk/coordinator.h"

#include <QSet>

#include <functional>

namespace drover::jobs {

// Something that has happened in a cluster.
struct Event {
    enum class Kind {
        Submitted, // a job has come into a queue
        Moved, // to another class or priority: held, released, its time has come
        Started, // an attempt: its worker has claimed it
        Stopped, // its worker was lost or gave it back: it will be tried again
        Ended, // `record` says how
        WorkerJoined,
        WorkerLeft,
        MasterElected,
    };

    Kind kind = Kind::Submitted;
    std::chrono::milliseconds at{}; // Unix epoch, the server's clock; 0 for what has gone: only the watch told of it
    std::optional<JobId> job;
    JobState state = JobState::Ready; // of the job, from now on
    int priority = 0;
    int attempt = 0;
    QString worker; // the one that runs it, has joined, leads ...
    QString name; // the job's
    std::optional<FinalRecord> record;
};

QString kindName(Event::Kind kind); // "submitted", "worker-joined", ...

// Tells what happens in a cluster, from the nodes that come and go. What comes and goes between two looks at a
// directory is not seen, but for the end of a job, whose record stays for a while: every job's end is told. A directory
// is looked at again when it has changed, and not before a tenth of a second, or several times what the last look took:
// events come in bursts, and their cost is bounded.
//
// Nothing is told of what is there at the beginning.
class EventFeed
{
public:
    using OnEvent = std::function<void(const Event &event)>;

    EventFeed(zk::Coordinator &zk, Layout layout, OnEvent onEvent);
    ~EventFeed();

    // For as long as the session lives. Throws SessionLost, AccessDenied.
    async::Task<void> run();

private:
    class Directory;
    class Queue;
    class Claims;
    class Done;
    class Members;
    class Masters;

    async::Task<void> follow(std::unique_ptr<Directory> directory);
    void followQueues(const zk::Children &queues);

    zk::Coordinator &m_zk;
    Layout m_layout;
    OnEvent m_onEvent;
    QSet<QByteArray> m_queues;
    async::FirstFailure m_failure;
    async::TaskGroup m_following; // last: destroyed first
};

} // namespace drover::jobs
