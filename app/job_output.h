#pragma once

#include "app/output_places.h"
#include "jobs/job_lookup.h"

namespace drover::app {

// Which of a job's streams are copied, and that to where: standard output to ours, standard error to ours.
struct Streams {
    bool output = true;
    bool error = false;
    std::optional<qint64> lastLines{}; // of what is there at first: only so many; not set: all
};

// Copies the output of jobs from wherever their workers keep it: a spool of this machine, or through the worker from
// another. What cannot be had is said on standard error.
//
// A worker that cannot be reached for a while is asked again until its attempt has ended; nothing is copied twice then,
// and nothing left out.
class JobOutput
{
public:
    JobOutput(Context &context, zk::Coordinator &zk, Streams streams) : m_context(context), m_zk(zk), m_streams(streams)
    {
    }

    // Copies until the job has ended, each attempt as it is written; returns the final record. Throws NotFound,
    // SessionLost, Malformed.
    async::Task<jobs::FinalRecord> follow(jobs::JobId id);

    // Copies what there is of the present or last attempt of a job just looked up, and not what it writes meanwhile.
    // Throws WrongState if none has begun, NotFound, SessionLost.
    async::Task<void> copy(jobs::JobView view);

private:
    async::Task<void> followAttempt(jobs::JobId id, jobs::Claim claim);
    async::Task<void> copyEnded(jobs::FinalRecord record);
    void copyTail(const jobs::FinalRecord &record, const QString &why);

    async::Task<void> begin(output::OutputSource &source, jobs::JobId id, int attempt);
    async::Task<output::OutputReply> copyNext(output::OutputSource &source, std::chrono::milliseconds wait);
    async::Task<void> copyForEver(output::OutputSource &source, jobs::JobId id, int attempt);
    async::Task<void> copyRest(output::OutputSource &source, jobs::JobId id, int attempt);
    async::Task<void> copyPresent(output::OutputSource &source, jobs::JobId id, int attempt);

    Context &m_context;
    zk::Coordinator &m_zk;
    Streams m_streams;
    // The attempt that is copied, and how far it is; of attempt 0, nothing is.
    output::OutputRequest m_next{.attempt = 0};
    bool m_whole = false; // all of it has been copied
};

} // namespace drover::app
