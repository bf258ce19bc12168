#pragma once

#include "workers/claimed_job.h"
#include "workers/server_clock.h"
#include "zk/coordinator.h"

#include <functional>

namespace drover::workers {

// What a worker makes of a job whose spec it has read.
enum class Fit {
    Claim,
    ClaimAhead, // its slot is not free yet
    ClaimPending, // it is to wait here, and is no attempt before it has begun
    NotNow, // there is no room for it
    Crowded, // enough wait for what it would wait for
    Never, // the worker has not what it needs
};

// Under which conditions jobs are claimed.
struct Terms {
    std::function<Fit(const ClaimedJob &)> judge = [](const ClaimedJob &) { return Fit::Claim; };
    std::optional<qint32> settings; // the version of the queue's node: claimed only while it is that
};

struct Claims {
    std::vector<ClaimedJob> jobs; // ours now
    std::vector<jobs::QueueEntry> notNow; // as judged
    std::vector<ClaimedJob> never; // the same, with their specs
    std::vector<ClaimedJob> crowded; // left unclaimed, with their specs
    bool stale = false; // the queue's settings are others now
    std::vector<jobs::QueueEntry> hopeless; // may not be read or changed, or cannot be removed: not to be tried again
};

// Claims jobs for one worker.
//
//     read the jobs' specs, in one flight
//     leave those alone that are not for this worker
//     one transaction for all: check(queue, its settings) ;
//         for each: setData(job, its spec, the version read) ; create ephemeral claims/<id>
//     if one of them has been taken meanwhile:                        the same without it
//     if one of them may not be changed, the server not saying which: each by itself
//     if the reply was lost: wait for the connection, sync, keep those whose claim this session owns at our attempt
//
// Of a job that is to wait first the transaction counts that in its spec, and the claim says so: a worker that is lost
// before the job has begun (beginClaimed) has cost it no attempt.
//
// A job that nobody is to run, because it is cancelled, its attempts are used up or its spec is malformed, is ended
// here: one transaction deletes it at the version read and creates done/<id>, but not while somebody's claim stands
// (which it tries to create, and deletes again): the attempt that is under way may be the last one allowed. If there is
// a final record already, which never changes, the job is only deleted.
class Claimer
{
public:
    // A job that was claimed so often, and given back or lost each time, is ended. A move within its queue needs an
    // operation for each claim, and all of them have to fit into one request: jobs::move().
    static constexpr qint32 MostClaims = 7000;

    // `clock`, unless null, outlives it: each claim measures it.
    Claimer(zk::Coordinator &zk, jobs::Layout layout, QString worker, ServerClock *clock = nullptr)
        : m_zk(zk), m_layout(std::move(layout)), m_worker(std::move(worker)), m_clock(clock)
    {
    }

    // Waits out lost connections; throws SessionLost.
    async::Task<Claims> claim(QByteArray queue, std::vector<jobs::QueueEntry> entries, Terms terms = {});

private:
    using Settings = std::optional<qint32>;

    async::Task<Claims> readCandidates(QByteArray queue, std::vector<jobs::QueueEntry> entries, Terms terms);
    async::Task<bool> claimTogether(std::vector<ClaimedJob> &jobs, Settings settings, bool &stale);
    async::Task<bool> commit(std::vector<ClaimedJob> &jobs, Settings settings, bool &stale);
    async::Task<void> keepOwn(std::vector<ClaimedJob> &jobs);
    async::Task<bool> end(jobs::QueueEntry entry, qint32 version, jobs::FinalRecord record);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    QString m_worker;
    ServerClock *m_clock;
};

} // namespace drover::workers
