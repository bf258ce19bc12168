#include "gui/models/attempt_log.h"

#include <QDateTime>

#include <algorithm>

namespace drover::gui {

using jobs::JobId;
using jobs::JobState;
using End = SeenAttempt::End;

AttemptLog::AttemptLog(Clock clock)
    : m_clock(clock ? std::move(clock) : [] { return QDateTime::currentMSecsSinceEpoch(); })
{
}

std::vector<SeenAttempt> AttemptLog::of(const JobId &id) const
{
    return m_attempts.value(id);
}

std::vector<AttemptLog::Run> AttemptLog::since(qint64 moment) const
{
    std::vector<Run> runs;
    for (auto job = m_attempts.cbegin(); job != m_attempts.cend(); ++job) {
        for (const SeenAttempt &attempt : *job) {
            if (attempt.ended == 0 || attempt.ended > moment)
                runs.push_back({job.key(), attempt});
        }
    }
    std::sort(runs.begin(), runs.end(), [](const Run &a, const Run &b) {
        return a.attempt.begun != b.attempt.begun ? a.attempt.begun < b.attempt.begun : a.id < b.id;
    });
    return runs;
}

void AttemptLog::show(const JobsSnapshot &jobs)
{
    if (!jobs.clusterExists) {
        m_attempts.clear();
        m_open.clear();
        m_order.clear();
        Q_EMIT shown();
        return;
    }
    QHash<JobId, const JobRow *> rows;
    for (const JobRow &row : jobs.rows) {
        if (row.state == JobState::Running && !row.worker.isEmpty())
            see(row);
        if (m_open.contains(row.id))
            rows.insert(row.id, &row);
    }
    const QSet<JobId> open = m_open;
    for (const JobId &id : open)
        endOf(id, rows.value(id));
    forget();
    Q_EMIT shown();
}

// The oldest, a quarter at a time.
void AttemptLog::forget()
{
    if (m_order.size() <= MaxJobs)
        return;
    const auto kept = m_order.end() - MaxJobs * 3 / 4;
    for (auto id = m_order.begin(); id != kept; ++id) {
        m_attempts.remove(*id);
        m_open.remove(*id);
    }
    m_order.erase(m_order.begin(), kept);
}

// The job runs. An attempt that seemed to have ended while the claims were read anew goes on.
void AttemptLog::see(const JobRow &row)
{
    std::vector<SeenAttempt> &attempts = m_attempts[row.id];
    if (attempts.empty())
        m_order.push_back(row.id);
    if (!attempts.empty() && attempts.back().number == row.attempt) {
        attempts.back().ended = 0;
        attempts.back().end = End::None;
    } else {
        if (!attempts.empty() && attempts.back().end == End::None) {
            attempts.back().ended = std::max(attempts.back().begun, row.since);
            attempts.back().end = End::Unknown;
        }
        attempts.push_back(
            {.number = row.attempt, .worker = row.worker, .begun = row.since, .failedBefore = row.failed});
    }
    m_open.insert(row.id);
}

// `row`: null if the table does not show the job any more.
void AttemptLog::endOf(const JobId &id, const JobRow *row)
{
    SeenAttempt &last = m_attempts[id].back();
    if (row && row->state == JobState::Running && row->attempt == last.number)
        return;
    if (last.ended == 0) {
        last.ended = m_clock();
        last.end = End::Unknown;
    }
    const bool isReadAgain = row && row->loaded && !jobs::isFinal(row->state); // it is tried again
    const bool isOver = row && row->loaded && jobs::isFinal(row->state);
    if (isOver)
        last.end = row->state == JobState::Succeeded ? End::Succeeded : End::Ended;
    else if (isReadAgain && row->failed > last.failedBefore) {
        last.end = End::Failed;
        last.code = row->failedCode;
    } else if (isReadAgain) {
        last.end = End::Lost;
    }
    if (!row || row->loaded)
        m_open.remove(id);
}

} // namespace drover::gui
