#pragma once

#include "jobs/layout.h"
#include "jobs/records.h"
#include "zk/types.h"

namespace drover::jobs {

// Something that has happened in a cluster.
struct Event {
    enum class Kind {
        Submitted, // a job has come into a queue
        Moved, // to another class or priority: held, released, its time has come
        Claimed, // a worker has it, and begins it once it has the locks, permits, room or companions that it needs
        Waits, // at that worker, for what `waits` says
        Started, // an attempt
        Stopped, // its worker was lost or gave it back: it will be tried again
        Failed, // an attempt, with `exitCode`: it waits to be tried again
        Ended, // `record` says how
        WorkerJoined,
        WorkerLeft,
        WorkerCordoned, // `by`, `why`
        WorkerUncordoned,
        MasterElected,
        QueuePaused, // `by`, `why`
        QueueResumed,
        QueueLimited, // to `limit` jobs at a time; 0: to any number
        LimitSet, // the named limit `name`, to `limit`
        ScheduleAdded, // the recurring job `name`, `by`
        ScheduleRemoved,
        SchedulePaused,
        ScheduleResumed,
        ScheduleRan, // a tick: it has become `job`
        ScheduleSkipped, // a tick: its last job had not ended, or it was missed and too late
    };

    Kind kind = Kind::Submitted;
    std::chrono::milliseconds at{}; // Unix epoch, the server's clock; 0 for what has gone: only the watch told of it
    zk::Zxid zxid = 0; // the transaction; for what has gone, the latest that it may have been
    std::optional<JobId> job;
    QByteArray queue; // of the event, if it is about one, and of a recurring job
    JobState state = JobState::Ready; // of the job, from now on
    int priority = 0;
    int attempt = 0;
    int exitCode = 0;
    int limit = 0;
    QString worker; // the one that runs it, has joined, leads ...
    QString name; // the job's, or of what it is about
    QString waits; // "lock db"
    QString by; // user@host
    QString why;
    std::optional<FinalRecord> record;

    // Whether it is about a named limit or a recurring job: `name` tells which.
    bool isNamed() const { return kind >= Kind::LimitSet; }
    // Both about one of these.
    bool isOfSameNode(const Event &other) const
    {
        return isNamed() && other.isNamed() && name == other.name && queue == other.queue;
    }
};

QString kindName(Event::Kind kind); // "submitted", "worker-joined", ...

} // namespace drover::jobs
