#pragma once

#include "workers/claimed_job.h"
#include "workers/files/shared_file.h"
#include "workers/runner.h"

namespace drover::workers {

// Appends what jobs have written to the files that their submitters named (JobSpec::appendTo), after they have
// succeeded and before their ends are reported: a worker that dies in between has appended, the next attempt appends
// nothing, and the job ends once with its output there once. The key is the job's id, never the attempt.
class OutputAppender
{
public:
    OutputAppender(zk::Coordinator &zk, jobs::Layout layout, QByteArray worker)
        : m_zk(zk), m_layout(std::move(layout)), m_worker(std::move(worker))
    {
    }

    // Returns when `output`, or that of an earlier attempt, is in the file. While the file cannot be written and may
    // get it yet (AppendUnsettled) this tries again, with growing pauses, and the job's claim says what it waits for. If
    // it is certain that the file does not get it, the record says why and how to do it by hand, and the job has failed
    // with code 74, which is no reason to run it again. What was not kept whole (Outcome::outputTruncated) is not
    // appended, nor is that advised. If the job is cancelled meanwhile this returns with a record of that, whatever
    // hangs. Throws SessionLost: nobody knows.
    async::Task<void> append(ClaimedJob job, Outcome outcome, QString output, jobs::FinalRecord &record);

private:
    async::Task<void> appendNow(ClaimedJob job, QString output, bool &appended);
    async::Task<QString> tryToAppend(QByteArray key, QString output, QString path, bool wasReserved);
    async::Task<void> appendOnce(QByteArray key, QString output, QString path);
    async::Task<void> untilTouched(ClaimedJob job);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    QByteArray m_worker;
    std::map<QString, std::shared_ptr<SharedFile>> m_files; // by the path as submitted
};

} // namespace drover::workers
