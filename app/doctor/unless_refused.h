#pragma once

#include "app/doctor/finding.h"
#include "async/task.h"

namespace drover::app {

// Carries out one check, which adds to `findings`. If it meets a node that may not be read, a finding says so.
async::Task<void> unlessRefused(const char *subject, async::Task<void> check, Findings &findings);

} // namespace drover::app
