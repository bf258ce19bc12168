#pragma once

#include "jobs/model/cluster.h"
#include "jobs/model/job_id.h"

#include <QString>

#include <map>
#include <set>

namespace drover::jobs {

// The jobs and schedules of an open cluster that no person has signed. Workers of a closed cluster refuse them, so the
// person who closes it may sign them first. The jobs of an array count as one.
struct UnsignedWork {
    std::map<QString, qint64> jobsOf; // by submitter
    qint64 jobs = 0;
    qint64 schedules = 0;
    std::set<QByteArray> hashes; // of the texts of the jobs, and of the schedules with their names
};

// Lists them. What is signed with another certificate than the cluster's credentials counts as unsigned. Throws
// SessionLost.
async::Task<UnsignedWork> findUnsigned(Cluster cluster);

struct SigningResult {
    qint64 jobs = 0; // signed; a task counts as one, too
    qint64 schedules = 0;
    qint64 leftOut = 0; // not signed: of strangers since then, malformed, or claimed
};

// Signs what `agreed` lists, and the tasks of its arrays, as the person of the cluster's credentials. Jobs that have
// come since are left alone: that person has not agreed to them. The jobs stay the same in all else, also in how many
// attempts they have had. A job is signed at the version that was read, and only while no worker has it. A worker's
// report of a job that was signed meanwhile would be refused, and the job would run twice. So pause the queues, and wait
// until nothing runs.
//
// Safe to repeat, also after a lost reply: what is signed is passed over. Throws SessionLost, WrongState.
async::Task<SigningResult> signWaiting(Cluster cluster, UnsignedWork agreed);

} // namespace drover::jobs
