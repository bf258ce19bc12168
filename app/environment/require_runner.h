#pragma once

namespace drover::app {

// Throws CommandError if drover-runner cannot be started. Call it before claiming a job or waiting for a lock.
// `purpose` is for the message: "run jobs".
void requireRunner(const char *purpose);

} // namespace drover::app
