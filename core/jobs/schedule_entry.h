#pragma once

#include "jobs/cron_schedule.h"
#include "jobs/job_id.h"
#include "jobs/job_spec.h"

namespace drover::jobs {

// A job that recurs, as the node schedules/<name> holds it. Users write what is wanted, the master how far it has come;
// each writes the version that it has read. Times are milliseconds of the Unix epoch.
struct ScheduleEntry {
    // What becomes of ticks that nobody was there for: no master, no ZooKeeper, a full queue.
    enum class CatchUp {
        None, // they are not run; the latest only if it is at most `Punctual` ago
        One, // the latest is run, however late
        All, // the latest `MostCaughtUp` are run
    };
    // What becomes of a tick while the job of the one before has not ended.
    enum class Overlap {
        Allow, // it is run beside it
        Skip, // it is not run
        Replace, // that job is cancelled; the new one does not wait for its end
    };
    static constexpr std::size_t MostCaughtUp = 100;
    static constexpr std::chrono::minutes Punctual{1}; // time for another master to be elected
    static constexpr std::chrono::hours ClockError{3}; // a clock that is set back by more was wrong before

    CronSchedule when;
    JobSpec job; // also says who made the schedule, and when
    CatchUp catchUp = CatchUp::One;
    Overlap overlap = Overlap::Allow;
    bool paused = false;

    std::chrono::milliseconds lastTick{}; // ticks up to this one have been dealt with; at first the creation
    std::chrono::milliseconds lastRun{}; // the tick of the latest job; 0: none yet
    std::optional<JobId> lastJob = std::nullopt; // that job; not known before its transaction is through

    QByteArray encode() const;
    static ScheduleEntry decode(const QByteArray &bytes); // throws Malformed

    // The job of a tick. Its key names the schedule and the tick: no two have the same.
    JobSpec jobAt(const QByteArray &name, std::chrono::milliseconds tick) const;
    static QString keyOf(const QByteArray &name, std::chrono::milliseconds tick);

    // The first tick that is to be dealt with; Never while paused.
    std::chrono::milliseconds nextTick() const { return paused ? CronSchedule::Never : when.next(lastTick); }
    // Whether lastTick was written by a clock that was wrong.
    bool isFromTheFuture(std::chrono::milliseconds now) const { return lastTick > now + ClockError; }
};

QString catchUpName(ScheduleEntry::CatchUp catchUp); // "none", ...
QString overlapName(ScheduleEntry::Overlap overlap); // "allow", ...
// Throw InvalidSchedule.
ScheduleEntry::CatchUp parseCatchUp(const QString &name);
ScheduleEntry::Overlap parseOverlap(const QString &name);
// `All` goes with `Allow` alone: the others would undo it. Throws InvalidSchedule.
void requireCompatible(ScheduleEntry::CatchUp catchUp, ScheduleEntry::Overlap overlap);

// What is to be done at one moment.
struct DueTicks {
    std::vector<std::chrono::milliseconds> run; // in order
    std::chrono::milliseconds lastTick{}; // what the entry's is to be afterwards
    bool missed = false; // there were others, which are not run
};

// By the clock that shows `now`. A clock that has been set back a little brings no tick twice: nothing is due until it
// has reached the last one again. If it was set back by more than ClockError, the schedule begins anew now.
DueTicks dueTicks(const ScheduleEntry &entry, std::chrono::milliseconds now);

} // namespace drover::jobs
