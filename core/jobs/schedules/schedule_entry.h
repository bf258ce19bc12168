#pragma once

#include "jobs/model/job_id.h"
#include "jobs/model/job_spec.h"
#include "jobs/schedules/cron_schedule.h"

namespace drover::jobs {

// A recurring job, as the node schedules/<name> stores it. Users write the job and its times, the master writes its
// progress. A write is refused if the node has changed since its writer read it. Both keep the fields that only a newer
// program knows. The master copies those of the job into each job's node. Times are milliseconds since the Unix epoch.
struct ScheduleEntry {
    // What happens to ticks that were missed: there was no master, no ZooKeeper, or the queue was full.
    enum class CatchUp {
        None, // runs the latest if it is at most `Punctual` old, else none
        One, // runs the latest, however late
        All, // runs the latest `MostCaughtUp`
    };
    // What happens to a tick while the job of the previous tick has not ended.
    enum class Overlap {
        Allow, // both run
        Skip, // the tick is skipped
        Replace, // the old job is cancelled; the new one does not wait
    };
    static constexpr std::size_t MostCaughtUp = 100;
    static constexpr std::chrono::minutes Punctual{1}; // enough to elect another master
    static constexpr std::chrono::hours ClockError{3}; // set back by more: the clock was wrong before

    CronSchedule when;
    JobSpec job; // also has the creator and time of the schedule
    CatchUp catchUp = CatchUp::One;
    Overlap overlap = Overlap::Allow;
    bool paused = false;

    std::chrono::milliseconds lastTick{}; // the last handled tick; at first the creation
    std::chrono::milliseconds lastRun{}; // the tick of the latest job; 0: none yet
    std::optional<JobId> lastJob = std::nullopt; // the latest job, once its id is known
    // Since when its ticks count, if that is after the creation: it was resumed, or was given other times. No tick
    // before was missed. An older program does not set it.
    std::chrono::milliseconds since{};

    // In a closed cluster: the signed text, and its signature. The text has all of the above but `paused`, and these
    // fields are read from it.
    JobRecord signedText = {};

    QJsonObject unknown = {}; // stored fields that only other programs know
    QJsonObject unknownOfJob = {};

    QByteArray encode() const;
    // The data of the node of a job that jobAt() has made. If the schedule is signed, the data hold the schedule's
    // text, and the tick as a note.
    QByteArray encodeJob(const JobSpec &job) const;
    static ScheduleEntry decode(const QByteArray &bytes); // throws Malformed

    // The text to sign. Throws SpecTooLarge.
    QByteArray makeText(const QByteArray &name) const;
    // Reads a text of makeText(). The ticks of @every are whole intervals after the creation, so the text alone tells
    // them.
    static ScheduleEntry fromText(const QByteArray &text); // throws Malformed

    // The job of a tick. Its key names the schedule and the tick, so it is unique.
    JobSpec jobAt(const QByteArray &name, std::chrono::milliseconds tick) const;
    static QString keyOf(const QByteArray &name, std::chrono::milliseconds tick)
    {
        return JobSpec::keyOfTick(QString::fromLatin1(name), tick);
    }

    // This entry with the progress of `present`, which it replaces: its last tick and job, and whether it is paused. If
    // both have the same times, a tick that was due already is still handled. If the times differ, the new ones begin
    // at this entry's creation.
    ScheduleEntry inPlaceOf(const ScheduleEntry &present) const;
    bool hasTimesOf(const ScheduleEntry &other) const; // expression and zone

    // The first tick to handle; Never while paused.
    std::chrono::milliseconds nextTick() const { return paused ? CronSchedule::Never : when.next(lastTick); }
    // Whether a tick has been due for longer than a master needs. A master looks once a second, and the election of
    // another takes some seconds.
    bool isLate(std::chrono::milliseconds now) const { return nextTick() < now - std::chrono::seconds(10); }
    // Whether a wrong clock wrote lastTick.
    bool isFromTheFuture(std::chrono::milliseconds now) const { return lastTick > now + ClockError; }

    template <class Fields, class Record>
    static void fields(Fields &each, Record &entry);

private:
    template <class Fields, class Record>
    static void signedFields(Fields &each, Record &entry);
    template <class Fields>
    static ScheduleEntry read(const JsonFields &fields, const Fields &readFields);
    void requireValid() const; // throws Malformed, InvalidSchedule
};

QString catchUpName(ScheduleEntry::CatchUp catchUp); // "none", ...
QString overlapName(ScheduleEntry::Overlap overlap); // "allow", ...
// Throw InvalidSchedule.
ScheduleEntry::CatchUp parseCatchUp(const QString &name);
ScheduleEntry::Overlap parseOverlap(const QString &name);
// Throws InvalidSchedule for `All` without `Allow`, because the other overlaps would undo it.
void requireCompatible(ScheduleEntry::CatchUp catchUp, ScheduleEntry::Overlap overlap);

// The next ticks after `now`; none while it is paused.
std::vector<std::chrono::milliseconds> upcomingTicks(const ScheduleEntry &entry, std::chrono::milliseconds now,
                                                     std::size_t count);

// The ticks to run at one moment.
struct DueTicks {
    std::vector<std::chrono::milliseconds> run; // in order
    std::chrono::milliseconds lastTick{}; // the entry's new lastTick
    bool missed = false; // some ticks were missed and are not run
};

// The ticks that are due at `now`. If the clock was set back a little, no tick is due until it has reached the last one
// again, so none runs twice. If it was set back by more than ClockError, the schedule begins again at `now`.
DueTicks dueTicks(const ScheduleEntry &entry, std::chrono::milliseconds now);

} // namespace drover::jobs
