#pragma once

#include "async/loop.h"
#include "workers/claims/job_endings.h"

#include <QString>

#include <vector>

namespace drover::workers {

// Counts the jobs that a worker has refused to run, each once, and tells of them at a bounded rate. A client that may
// create nodes in a queue can create thousands a second. So in each second only the first get what all would get
// otherwise:
//
//     a line in the log     the first EachSecond; one line more has the number of the others, and the last of them
//     a final record        the first EachSecond of the unsigned ones; and all that a person has signed, of which
//                           MostEndedTogether are ended in a second (dispatch/refused_jobs.h)
//     the count             all, once they have been ended
//
// Belongs to the session's thread.
class Refusals
{
public:
    static constexpr int EachSecond = 10;

    // The loop outlives this object.
    explicit Refusals(async::Loop &loop) : m_loop(loop) { }
    ~Refusals();
    Refusals(const Refusals &) = delete;
    Refusals &operator=(const Refusals &) = delete;

    void count() { ++m_count; }
    void tell(const QString &line);
    // Counts these jobs, without those that were left, and tells of them.
    void noteEnded(const std::vector<JobEnding> &endings, const std::vector<LeftJob> &left);
    // Whether an unsigned job has a final record, and is one of the first of this second then.
    bool recordsUnsigned();

    qint64 all() const { return m_count; }

private:
    void tellOther(const QString &line);
    void beginSecond();
    void tellOthers();

    async::Loop &m_loop;
    qint64 m_count = 0;
    async::TimePoint m_since{}; // of this second
    bool m_hasBegun = false;
    int m_lines = 0;
    int m_records = 0;
    qint64 m_others = 0; // without a line
    QString m_last; // of the others
    async::Timer m_end;
};

} // namespace drover::workers
