#pragma once

#include "app/arguments.h"

namespace drover::app {

// For commands that print no data of their own: throws UsageError if -o asks for a form of it. `prints`: what they do
// print, "what the job writes".
void requireNoForm(const Arguments &arguments, const char *prints);

} // namespace drover::app
