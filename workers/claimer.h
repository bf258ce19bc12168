#pragma once

#include "workers/claimed_job.h"
#include "zk/coordinator.h"

namespace drover::workers {

// Claims jobs for one worker.
//
//     read the jobs' specs, in one flight
//     one transaction for all: setData(job, its spec, the version read) ; create ephemeral claims/<id>, for each
//     if one of them has been taken meanwhile: the same without it
//     if the reply was lost: wait for the connection, sync, keep those whose claim this session owns at our attempt
//
// A job that cannot be run, because its attempts are used up or its spec is malformed, is ended here: one transaction
// deletes it at the version read and creates done/<id>.
class Claimer
{
public:
    Claimer(zk::Coordinator &zk, jobs::Layout layout, QString worker)
        : m_zk(zk), m_layout(std::move(layout)), m_worker(std::move(worker))
    {
    }

    // Those of `entries` that are ours now. Throws SessionLost.
    async::Task<std::vector<ClaimedJob>> claim(QByteArray queue, std::vector<jobs::QueueEntry> entries);

private:
    async::Task<std::vector<ClaimedJob>> readCandidates(QByteArray queue, std::vector<jobs::QueueEntry> entries);
    async::Task<bool> commit(std::vector<ClaimedJob> &jobs);
    async::Task<void> keepOwn(std::vector<ClaimedJob> &jobs);
    async::Task<void> end(jobs::QueueEntry entry, qint32 version, jobs::FinalRecord record);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    QString m_worker;
};

} // namespace drover::workers
