#pragma once

#include "jobs/job_lookup.h"

namespace drover::jobs {

// What people do to unfinished jobs, beside cancel(). Each is one transaction:
//
//     hold         not running: move it (jobs::move) to those that are held, and note by whom. An array that has begun:
//                  only note it, the master unfolds no more of it; the tasks that are open go on
//     release      held: move it to where its spec without the hold belongs
//     setPriority  not running: move it to its class at another priority
//     moveToQueue  reserve a number: create ephemeral sequential queues/X/m_<uuid>- . Not running: delete that ;
//                  delete(job, version) ; create queues/X/<class><prio>-<number> with the spec, less what was noted of
//                  its claims ; create done/<id>, cancelled, with the new id (FinalRecord::movedTo), which those who
//                  wait for the job follow
//     requeue      running: check(job, version) ; set(claim, "requeue", its version). Its worker watches it, kills the
//                  job and gives it back, which counts neither as a failure nor as an attempt
//     sendSignal   running: check(job, version) ; set(claim, one more signal, its version). Its worker sends those that
//                  it has not sent, each once
//     if that no longer fits, the job has moved on: look again
//
// What has been claimed and waits at its worker (Claim::pending) is not running: the same transaction deletes its
// claim, at the version read, so that nobody else has it in between. Its worker finds the claim gone, and cannot begin
// it.
//
// What has been claimed ahead of its slot (Claim::ahead) may begin at any moment: hold, setPriority, moveToQueue and
// sendSignal wait until it has, or has been given back, which takes a fifth of a second; for a second at most.
//
// After a lost reply they look whether it was carried out: by the job's new place, by the claim's mark, by the record's
// new id, by the signal's key; nothing is done twice. All throw WrongState if the job's state does not allow it,
// NotFound, SessionLost.
struct Change {
    JobId id; // the job's; of moveToQueue() the new one
    JobState from; // without its claim, if that was pending
    JobState to; // of a running job: what it will be once its worker has obeyed
};

async::Task<Change> hold(zk::Coordinator &zk, Layout layout, JobId id, QString by);
async::Task<Change> release(zk::Coordinator &zk, Layout layout, JobId id);
async::Task<Change> setPriority(zk::Coordinator &zk, Layout layout, JobId id, int priority);
// Not of an array that has begun, nor of an array's task. Throws QueueFull, too.
async::Task<Change> moveToQueue(zk::Coordinator &zk, Layout layout, JobId id, QByteArray queue, ClusterConfig config);
bool wasMoved(const FinalRecord &record); // and lives on as another job
async::Task<Change> requeue(zk::Coordinator &zk, Layout layout, JobId id);
async::Task<Change> sendSignal(zk::Coordinator &zk, Layout layout, JobId id, int number);

} // namespace drover::jobs
