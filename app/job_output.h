#pragma once

#include "app/output_places.h"
#include "jobs/job_lookup.h"
#include "output/attempt_reader.h"

namespace drover::app {

// Copies the output of jobs from wherever their workers keep it: a spool of this machine, or through the worker from
// another. Standard output goes to ours, standard error to ours. What cannot be had is said on standard error.
//
// A worker that cannot be reached for a while is asked again until its attempt has ended; nothing is copied twice then,
// and nothing left out.
class JobOutput
{
public:
    JobOutput(Context &context, zk::Coordinator &zk, const output::Streams &streams)
        : m_context(context), m_zk(zk), m_streams(streams)
    {
    }

    // Copies until the job has ended, each attempt as it is written; returns the final record. Throws NotFound,
    // SessionLost, Malformed.
    async::Task<jobs::FinalRecord> follow(jobs::JobId id);

    // Copies what there is of the present or last attempt of a job just looked up, and not what it writes meanwhile.
    // Throws WrongState if none has begun or it is an array, NotFound, SessionLost.
    async::Task<void> copy(jobs::JobView view);

private:
    async::Task<void> followAttempt(jobs::JobId id, jobs::Claim claim, int failed);
    async::Task<QString> readPresent(output::AttemptReader &reader, const OutputPlace &place);
    async::Task<void> refuseArray(jobs::FinalRecord record);
    async::Task<void> copyEnded(jobs::FinalRecord record);
    void copyTail(const jobs::FinalRecord &record, qint64 copied, const QString &why);

    output::AttemptReader &readerOf(const jobs::JobId &id, int attempt);

    Context &m_context;
    zk::Coordinator &m_zk;
    output::Streams m_streams;
    std::optional<output::AttemptReader> m_reader; // of the latest attempt
    int m_number = 0; // that attempt's, as people count
    int m_failed = 0; // attempts that had failed before it
};

} // namespace drover::app
