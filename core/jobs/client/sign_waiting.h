#pragma once

#include "jobs/schedules/schedules.h"

#include <QString>

#include <map>
#include <set>
#include <vector>

namespace drover::jobs {

// The jobs and schedules of an open cluster that no person has signed. Workers of a closed cluster refuse them, so the
// person who closes it may sign them first. The jobs of an array count as one.
struct UnsignedWork {
    std::map<QString, qint64> jobsOf{}; // by submitter
    qint64 jobs = 0;
    std::set<QByteArray> hashes{}; // of the jobs' texts
    std::vector<StoredSchedule> schedules{};
};

// Lists them. What is signed with another certificate than the cluster's credentials counts as unsigned. Throws
// SessionLost.
async::Task<UnsignedWork> findUnsigned(Cluster cluster);

// Both sign what `agreed` lists, as the person of the cluster's credentials. They are safe to repeat, also after a lost
// reply: what is signed is passed over. They throw SessionLost, WrongState.

// The schedules. What they make from then on is signed. Returns how many there were.
async::Task<qint64> signSchedules(Cluster cluster, UnsignedWork agreed);

struct SigningResult {
    qint64 jobs = 0; // signed; a task counts as one, too
    qint64 leftOut = 0; // not signed: of other people since then, malformed, or claimed
};

// The jobs, the tasks of arrays that are listed, and the jobs that listed schedules have made meanwhile. Other jobs
// that have come since are left alone: that person has not agreed to them. The jobs stay the same in all else, also in
// how many attempts they have had.
//
// A job is signed at the version that was read, and only while no worker has it. A worker's report of a job that was
// signed meanwhile would be refused, and the job would run twice. So pause the queues, and wait until nothing runs.
async::Task<SigningResult> signJobs(Cluster cluster, UnsignedWork agreed);

} // namespace drover::jobs
