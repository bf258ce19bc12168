#pragma once

#include "async/loop.h"
#include "jobs/model/job_id.h"

#include <QString>

namespace drover::workers {

// Counts the jobs that a worker refuses to run, and tells of them at a bounded rate. A client that may create nodes in
// a queue can create thousands a second. So in each second only the first get what all would get otherwise:
//
//     a line in the log     the first EachSecond; one line more has the number of the others, and the last of them
//     a final record        the first EachSecond of the unsigned ones; and all that a person has signed
//     the count             all
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

    void note(const jobs::JobId &id, const QString &why);
    // A line about a job that is not counted as refused.
    void tell(const QString &line);
    // Whether an unsigned job has a final record, and is one of the first of this second then.
    bool recordsUnsigned();

    qint64 count() const { return m_count; }

private:
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
