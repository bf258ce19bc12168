#pragma once

#include "jobs/model/final_record.h"

namespace drover::app {

// The end of a job, as text after "job default-7 ": "was ended by signal 9 (Killed): out of memory". Empty if the job
// exited by itself, so that its exit code says all.
QString outcomeText(const jobs::FinalRecord &record);

} // namespace drover::app
