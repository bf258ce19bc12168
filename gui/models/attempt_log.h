#pragma once

#include "gui/data/snapshots.h"

#include <QHash>
#include <QObject>
#include <QSet>

#include <functional>
#include <vector>

namespace drover::gui {

// An attempt at a job that this console saw.
struct SeenAttempt {
    // Failed: the job is tried again. Lost: with its worker, or requeued. The last two ended the job.
    enum class End { None, Unknown, Failed, Lost, Succeeded, Ended };

    int number = 0; // from 1
    QString worker;
    qint64 begun = 0; // ms of the Unix epoch, by the server's clock
    qint64 ended = 0; // when it was seen to have ended, by this machine's clock; 0: it goes on
    End end = End::None;
    int code = 0; // exit code of one that failed
    int failedBefore = 0; // attempts at the job that had failed when it began

    friend bool operator==(const SeenAttempt &, const SeenAttempt &) = default;
};

// The attempts at jobs as the table showed them. The cluster keeps only how many there were, and all about the last. It
// holds those of the last MaxJobs jobs that ran, and lives on the GUI thread.
class AttemptLog final : public QObject
{
    Q_OBJECT

public:
    static constexpr std::size_t MaxJobs = 5000;
    using Clock = std::function<qint64()>; // ms of the Unix epoch

    explicit AttemptLog(Clock clock = {});

    std::vector<SeenAttempt> of(const jobs::JobId &id) const; // in order

    // One attempt and its job.
    struct Run {
        jobs::JobId id;
        SeenAttempt attempt;
    };
    std::vector<Run> since(qint64 moment) const; // that had not ended then, in the order in which they began

public Q_SLOTS:
    void show(const drover::gui::JobsSnapshot &jobs); // without a cluster it forgets all

Q_SIGNALS:
    void shown();

private:
    void see(const JobRow &row);
    void forget();
    void endOf(const jobs::JobId &id, const JobRow *row);

    const Clock m_clock;
    QHash<jobs::JobId, std::vector<SeenAttempt>> m_attempts;
    QSet<jobs::JobId> m_open; // whose last attempt goes on, or ended in a way that is not known yet
    std::vector<jobs::JobId> m_order; // in which the jobs were first seen
};

} // namespace drover::gui
