#pragma once

#include "jobs/model/final_record.h"
#include "jobs/model/layout.h"
#include "zk/types.h"

namespace drover::jobs {

// An event in a cluster.
struct Event {
    enum class Kind {
        Submitted, // a job was created in a queue
        Moved, // to another class or priority: held, released, due
        Claimed, // a worker has it and starts it once its needs are met
        Waits, // at that worker; `waits` says for which lock or limit
        Started, // an attempt has begun
        Stopped, // its worker was lost or returned it: it will run again
        Failed, // an attempt, with `exitCode`: the job waits for a retry
        Ended, // the job, with `record`
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
        ScheduleSkipped, // a tick: the last job still ran, or it was missed
    };

    Kind kind = Kind::Submitted;
    // Unix epoch, the server's clock. 0 for a deleted node, because only a watch reported it.
    std::chrono::milliseconds at{};
    zk::Zxid zxid = 0; // the transaction; for a deletion an upper bound
    std::optional<JobId> job;
    QByteArray queue; // the queue, or that of the job or recurring job
    JobState state = JobState::Ready; // the job's new state
    int priority = 0;
    int attempt = 0;
    // The starts of this job that caused no event since its last reported one; 0 also if that is not known.
    int unseenStarts = 0;
    int exitCode = 0;
    int limit = 0;
    QString worker; // the worker that runs it, has joined, leads ...
    QString name; // of the job, the limit or the recurring job
    QString waits; // "lock db"
    QString by; // user@host
    QString why;
    std::optional<FinalRecord> record;

    // Whether it is about a named limit or a recurring job, which `name` names.
    bool isNamed() const { return kind >= Kind::LimitSet; }
    // Whether both are about one limit or one recurring job.
    bool isOfSameNode(const Event &other) const
    {
        return isNamed() && other.isNamed() && name == other.name && queue == other.queue;
    }
};

QString kindName(Event::Kind kind); // "submitted", "worker-joined", ...

} // namespace drover::jobs
