#include "fuzz/harness/records.h"
#include "jobs/schedules/schedule_entry.h"

using namespace drover;

// The node of a recurring job, and its due ticks at some times.
DROVER_FUZZ_TARGET(schedule, Form::Json)
{
    using std::chrono::milliseconds;
    const std::optional<jobs::ScheduleEntry> entry = requireStable<jobs::ScheduleEntry>(input);
    if (!entry)
        return;
    for (const milliseconds now :
         {milliseconds(0), entry->lastTick + std::chrono::hours(30), milliseconds(1'700'000'000'000)}) {
        const jobs::DueTicks due = jobs::dueTicks(*entry, now);
        require(due.run.size() <= jobs::ScheduleEntry::MostCaughtUp, "too many ticks are due");
        for (const milliseconds tick : due.run) {
            require(tick > entry->lastTick && tick <= now, "a tick is due that is not");
            (void)entry->jobAt("nightly", tick);
        }
    }
    require(entry->nextTick() > entry->lastTick, "a tick comes twice");
}
