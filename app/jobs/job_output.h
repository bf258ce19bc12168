#pragma once

#include "app/jobs/job_streams.h"
#include "app/jobs/output_locator.h"
#include "jobs/client/job_lookup.h"
#include "jobs/model/claim.h"
#include "jobs/model/final_record.h"
#include "output/attempt_reader.h"

namespace drover::app {

// Copies the output of jobs to our standard output and standard error. It reads from a spool of this machine, or from
// another machine through the worker. It reports unavailable output on standard error. If a job has failed, it copies
// also the standard error that the streams leave out, behind the rest.
//
// If a worker is unreachable, it retries until the attempt has ended. It then neither repeats nor omits any bytes.
class JobOutput
{
public:
    JobOutput(Context &context, jobs::Cluster cluster, const output::Streams &streams, JobStreams::Shown shown)
        : m_context(context), m_cluster(std::move(cluster)), m_streams(streams), m_places(context.out(), shown)
    {
    }

    // Copies until the job has ended, each attempt as it is written; returns the final record. Throws NotFound,
    // SessionLost, Malformed.
    async::Task<jobs::FinalRecord> follow(jobs::JobId id);

    // Like follow(), also for a job that is archived already or meanwhile. If the job is moved to another queue, it
    // calls `moved` with the new id and follows that job. Returns the record of the last one. Throws as follow() and
    // lookUpAnywhere() do.
    using Moved = std::function<void(const jobs::JobId &)>;
    async::Task<jobs::FinalRecord> followAnywhere(jobs::JobId id, Moved moved = {});

    // Copies the present output of the current or last attempt of a job that was just looked up. Later output is left
    // out. Throws WrongState if no attempt has begun or the job is an array; NotFound, SessionLost.
    async::Task<void> copy(jobs::JobView view);

    // Copies the output of attempt `number`, counted from 1 as `show` and DROVER_ATTEMPT count, of a job that was just
    // looked up. Throws WrongState if the job has not begun so many; NotFound if the output of an earlier one is not
    // kept; else as copy().
    async::Task<void> copyAttempt(jobs::JobView view, int number);

private:
    async::Task<void> copyEarlier(jobs::JobView view, int number);
    async::Task<void> followAttempt(jobs::JobId id, jobs::Claim claim, int failed);
    async::Task<QString> readPresent(output::AttemptReader &reader, const OutputPlace &place);
    async::Task<void> refuseArray(jobs::FinalRecord record);
    async::Task<void> copyEnded(jobs::FinalRecord record);
    async::Task<void> copyError(jobs::FinalRecord record);
    void nameOtherStream(const jobs::JobId &id) const;
    async::Task<jobs::FinalRecord> followOrCopyArchived(jobs::JobId id);
    void copyTail(const jobs::FinalRecord &record, qint64 copied, const QString &why);

    output::AttemptReader &readerOf(const jobs::JobId &id, int attempt);

    Context &m_context;
    jobs::Cluster m_cluster;
    output::Streams m_streams;
    JobStreams m_places;
    std::optional<output::AttemptReader> m_reader; // of the latest attempt
    int m_number = 0; // the attempt's number for people
    int m_failed = 0; // failed attempts before it
};

} // namespace drover::app
