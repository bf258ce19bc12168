#pragma once

#include "jobs/client/job_lookup.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/model/final_record.h"

namespace drover::jobs {

// The changes that people make to unfinished jobs, besides cancel(). Each is one transaction:
//
//     hold         not running: reposition() it among the held jobs, and note the user. An array that has begun:
//                  only note it, the master expands no more of it; the tasks that are open go on
//     release      held: move it to where its spec without the hold belongs
//     setPriority  not running: move it to its class at another priority
//     moveToQueue  reserve a number: create ephemeral sequential queues/X/m_<uuid>- . Not running: delete that ;
//                  delete(job, version) ; create queues/X/<class><prio>-<number> with the spec, less what was noted of
//                  its claims ; create done/<id>, cancelled, with the new id (FinalRecord::movedTo), which clients
//                  that wait for the job follow
//     requeue      running: check(job, version) ; set(claim, "requeue", its version). Its worker watches it, kills the
//                  job and gives it back, which counts neither as a failure nor as an attempt
//     sendSignal   running: check(job, version) ; set(claim, one more signal, its version). Its worker sends those that
//                  it has not sent, each once
//     if that no longer fits, the job has moved on: look again
//
// A claimed job that waits at its worker (Claim::pending) does not run. The transaction then also deletes its claim, at
// the version read, so that no other worker has the job in between. Its worker finds the claim gone, and cannot begin
// the job.
//
// A job that was prefetched (Claim::prefetched) may begin at any moment. hold, setPriority, moveToQueue and sendSignal
// wait until it has begun or was given back. That takes a fifth of a second, and they wait for a second at most.
//
// Each transaction also creates the note of who did it (AuditNote). It shows after a lost reply whether the transaction
// was carried out, so nothing is done twice. All throw WrongState if the job's state does not allow the change,
// NotFound, SessionLost. moveToQueue() throws Untrusted for a job that no person has signed (prover.h), because the
// client that moves a job signs it.
struct JobChange {
    JobId id; // the job's; of moveToQueue() the new one
    JobState from; // without its claim, if that was pending
    JobState to; // of a running job: once its worker has acted
};

async::Task<JobChange> hold(Cluster cluster, JobId id, QString by);
async::Task<JobChange> release(Cluster cluster, JobId id);
async::Task<JobChange> setPriority(Cluster cluster, JobId id, int priority);
// Not of an array that has begun, nor of an array's task. Throws QueueFull, too.
async::Task<JobChange> moveToQueue(Cluster cluster, JobId id, QByteArray queue, ClusterConfig config);
bool wasMoved(const FinalRecord &record); // it continues as another job
// Whether a queue's node of that name reserves a number up to `last` for a job that is about to come there.
bool reservesNumber(const QByteArray &name, qint32 last);
async::Task<JobChange> requeue(Cluster cluster, JobId id);
async::Task<JobChange> sendSignal(Cluster cluster, JobId id, int number);

} // namespace drover::jobs
