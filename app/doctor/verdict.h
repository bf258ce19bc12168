#pragma once

#include "app/cli/output.h"
#include "app/doctor/finding.h"

namespace drover::app {

// Prints the findings and returns the exit code. For people each finding is a paragraph, so that its text is never cut
// on a narrow terminal.
int tellFindings(const Output &out, const Findings &findings);

} // namespace drover::app
