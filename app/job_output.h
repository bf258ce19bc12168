#pragma once

#include "app/context.h"
#include "jobs/job_lookup.h"

namespace drover::app {

// Which of a job's streams are copied, and that to where: standard output to ours, standard error to ours.
struct Streams {
    bool output = true;
    bool error = false;
};

// Copies the output of jobs out of the spool of the worker that runs them: a worker on this machine, or at least one
// whose spool can be read here. What is not here is said on standard error.
class JobOutput
{
public:
    JobOutput(Context &context, zk::Coordinator &zk, Streams streams) : m_context(context), m_zk(zk), m_streams(streams)
    {
    }

    // Copies until the job has ended, each attempt as it is written; returns the final record. Throws NotFound,
    // SessionLost, Malformed.
    async::Task<jobs::FinalRecord> follow(jobs::JobId id);

    // Copies what there is of the present or last attempt of a job just looked up. Throws WrongState if none has begun,
    // NotFound, SessionLost.
    async::Task<void> copy(jobs::JobView view);

private:
    class Files;

    async::Task<std::optional<QString>> spoolOf(QString worker);
    async::Task<void> followAttempt(jobs::JobId id, jobs::Claim claim);
    async::Task<void> copyEnded(jobs::FinalRecord record);

    Context &m_context;
    zk::Coordinator &m_zk;
    Streams m_streams;
    int m_shownAttempt = 0;
};

// Where a worker keeps output unless told otherwise. Workers of one user on one machine share it: what a job wrote is
// found after its worker has gone.
QString defaultSpool(const QByteArray &cluster);

} // namespace drover::app
