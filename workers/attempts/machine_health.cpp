#include "workers/attempts/machine_health.h"

#include <QLoggingCategory>

#include <algorithm>

namespace drover::workers {

Q_LOGGING_CATEGORY(lcMachineHealth, "drover.workers.machine_health")

namespace {

constexpr std::chrono::seconds Patience{5}; // for the runner to say that a job has begun
constexpr std::chrono::seconds FirstBackoff{1};
constexpr std::chrono::seconds LongestBackoff{60};

} // namespace

MachineHealth::MachineHealth(async::Loop &loop, WorkerConditions &conditions, std::function<void()> mayStartAgain)
    : m_loop(loop), m_conditions(conditions), m_mayStartAgain(std::move(mayStartAgain)), m_nextPause(FirstBackoff)
{
}

// Those behind it cannot be run here, either, for a moment.
void MachineHealth::noteTrouble(const QString &reason, bool isOfMachine)
{
    m_troubledAt = m_loop.now();
    m_isTroubled = m_isTroubled || isOfMachine;
    if (!std::exchange(m_isBackingOff, true)) {
        const std::chrono::seconds pause = std::exchange(m_nextPause, std::min(2 * m_nextPause, LongestBackoff));
        m_pause = m_loop.after(pause, [this] {
            m_isBackingOff = false;
            m_mayStartAgain();
        });
        qCWarning(lcMachineHealth, "this machine cannot run jobs now: %ls; others may, and it tries again in %lld s",
                  qUtf16Printable(reason), static_cast<long long>(pause.count()));
    }
    if (isOfMachine)
        m_conditions.machineTroubled(reason);
}

void MachineHealth::noteOutcome(const Outcome &outcome, async::TimePoint since)
{
    noteAnswer();
    const QString reason = QString::fromStdString(outcome.reason);
    if ((outcome.outputTruncated || outcome.errorTruncated) && !reason.isEmpty()) // the output limit gives none
        m_conditions.outputLost();
    if (isRefusal(outcome))
        noteTrouble(reason, outcome.lackedResources());
    else if (outcome.how == How::FailedToStart && !outcome.refusedByPolicy())
        noteFailedStart(reason);
    else if (outcome.began())
        noteBeginning(since);
}

// The job has ended for that reason.
void MachineHealth::noteFailedStart(const QString &reason)
{
    if (m_failedStarts.size() < Suspicious)
        m_failedStarts.insert(reason);
    if (m_failedStarts.size() >= Suspicious)
        noteTrouble(QStringLiteral("job after job cannot be started here, the last one: %1").arg(reason), true);
    else
        m_troubledAt = m_loop.now();
}

void MachineHealth::noteBeginning(async::TimePoint since)
{
    if (since <= m_troubledAt)
        return;
    m_failedStarts.clear();
    m_isTroubled = false;
    m_nextPause = FirstBackoff;
    m_conditions.machineTroubled({});
}

void MachineHealth::noteUnbounded()
{
    if (std::exchange(m_isUnbounded, true))
        return;
    qCWarning(lcMachineHealth,
              "nothing limits the processes of jobs of the worker's own user: this machine has no control "
              "group for the worker (--max-processes, max_processes)");
    m_conditions.processesUnbounded();
}

async::Timer MachineHealth::expectAnswer(std::function<bool()> hasBegun)
{
    return m_loop.after(Patience, [this, sent = m_loop.now(), hasBegun = std::move(hasBegun)] {
        if (!hasBegun() && m_answeredAt <= sent)
            noteTrouble(QStringLiteral("its job runner has not answered for %1 s: it hangs, or a directory, a file or "
                                       "the program of a job is on a file server that hangs")
                            .arg(Patience.count()),
                        true);
    });
}

} // namespace drover::workers
