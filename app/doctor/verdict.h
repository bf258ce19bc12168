#pragma once

#include "app/doctor/finding.h"
#include "app/output.h"

namespace drover::app {

// Prints the findings, for people a paragraph each: what is wrong and what to do stand in full on any terminal.
// Returns the exit code.
int tellFindings(const Output &out, const Findings &findings);

} // namespace drover::app
