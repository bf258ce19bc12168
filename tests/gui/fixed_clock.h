#pragma once

#include <QtGlobal>

namespace drover::test {

// A program that links fixed_clock.cpp reads this time from the clock of the day until setClock() moves it: ms of the
// Unix epoch, 2026-01-01 00:02:00 UTC, which is soon after the beginning of virtual time. So every age and every
// instant in a picture stays as it is. Monotonic clocks run as ever.
constexpr qint64 FixedNow = 1'767'225'720'000;

// From now on the clock stands there.
void setClock(qint64 now);

} // namespace drover::test
