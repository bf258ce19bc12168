#pragma once

#include "jobs/records.h"

namespace drover::app {

// What became of a job, to be said behind "job default-7 ": "was ended by signal 9 (Killed): out of memory". Empty if
// it exited by itself and there is no more to say of it than its exit code.
QString fate(const jobs::FinalRecord &record);

} // namespace drover::app
