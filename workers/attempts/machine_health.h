#pragma once

#include "async/loop.h"
#include "workers/attempts/worker_conditions.h"
#include "workers/process/runner.h"

#include <QSet>
#include <QString>

#include <functional>

namespace drover::workers {

// Judges by the starts of jobs whether this machine can run jobs. The worker leaves further jobs to other workers for a
// moment in three cases. A start was refused because a resource was missing. The runner was lost. Several jobs in a row
// could not be started for different reasons, such as a missing mount or package. A single reason, however often, is
// more likely a mistake in many similar jobs, which would fail anywhere.
//
// The first pause lasts a second, and each later one twice as long until a job runs, a minute at most. What fails
// during a pause does not prolong it. Belongs to the session's thread.
class MachineHealth
{
public:
    // After so many different reasons, without a job that has begun in between, the machine is suspect.
    static constexpr qsizetype Suspicious = 3;

    // `mayStartAgain` is called when the pause has ended. The others must outlive this object.
    MachineHealth(async::Loop &loop, WorkerConditions &conditions, std::function<void()> mayStartAgain);

    // True: there is a pause, and no job may be started now.
    bool isBackingOff() const { return m_isBackingOff; }

    // True from a trouble of the machine until a job has begun.
    bool isTroubled() const { return m_isTroubled; }

    // Notes that a job could not be started, or was lost, through no fault of its own. `isOfMachine`: it is a
    // condition of the worker.
    void noteTrouble(const QString &reason, bool isOfMachine);
    // Notes what the end of a run, which was sent to the runner at `since`, says about this machine.
    void noteOutcome(const Outcome &outcome, async::TimePoint since);
    // The machine could not, or might not, begin the job.
    static bool isRefusal(const Outcome &outcome)
    {
        return outcome.lackedResources() || (outcome.how == How::LeaseExpired && !outcome.began());
    }
    // Notes that a job which was sent to the runner at `since` has begun. A job that began before a trouble does not
    // end the trouble.
    void noteBeginning(async::TimePoint since);

    // While the timer is kept: if `hasBegun` is still false after some seconds, that is a trouble. The runner or the
    // first job's paths may hang in a file system.
    async::Timer expectAnswer(std::function<bool()> hasBegun);
    void noteAnswer() { m_answeredAt = m_loop.now(); }
    void noteUnbounded(); // see WorkerConditions

private:
    void noteFailedStart(const QString &reason);

    async::Loop &m_loop;
    WorkerConditions &m_conditions;
    std::function<void()> m_mayStartAgain;
    bool m_isBackingOff = false;
    std::chrono::seconds m_nextPause;
    async::Timer m_pause;
    QSet<QString> m_failedStarts; // reasons since a job last began
    bool m_isTroubled = false;
    bool m_isUnbounded = false;
    async::TimePoint m_troubledAt = async::TimePoint::min();
    async::TimePoint m_answeredAt = async::TimePoint::min();
};

} // namespace drover::workers
