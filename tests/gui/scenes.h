#pragma once

#include "gui/window_fixture.h"

// What the pages of a window show in a picture. The clock stands at FixedNow (fixed_clock.h).
namespace drover::test {

constexpr qint64 Minute = 60'000; // ms

// Half an hour of load with an outage, and ten minutes of three queues.
void showSomeLoad(gui::ConsoleModels &models);
// The depths of its queues over the last minutes, in the place of those that are known. Then the present ones again.
void showSomeDepths(gui::QueueHistory &history);

// Half an hour of jobs on the workers, of which some failed.
void showPastJobs(gui::ConsoleModels &models);

// Ten minutes of three servers, which answer now faster and now slower.
void showPastAnswers(gui::ConsoleModels &models);

// More locks for which jobs and people wait, without a circle.
void addWaits(WindowFixture &fixture);

// A job and a program, each of which waits for a lock that the other one holds.
void addDeadlock(WindowFixture &fixture);

// Recurring jobs: some often, some daily or weekly, one paused.
void addSchedules(WindowFixture &fixture);

// Jobs begin and end, and a lock changes hands, while the page of the events is open.
void letThingsHappen(WindowFixture &fixture);

// Eight minutes of the cluster that the fixture will show, with a gap, in the file in which a console looks for them.
// Call it before the window connects, and set XDG_STATE_HOME.
void recordSomeMinutes();

} // namespace drover::test
