#pragma once

#include "app/environment/context.h"
#include "workers/attempts/worker_options.h"
#include "workers/process/runner_client.h"

#include <sys/types.h>

namespace drover::app {

// What the options of `drover worker` say. Each function throws UsageError with the option's name when a value does not
// fit.

// Without what the worker serves and keeps beside its jobs: outputServer, outputEndpoint and history.
workers::WorkerOptions workerOptionsFrom(const Context &context);
workers::RunnerClient::Options runnerOptionsFrom(const Arguments &arguments, const workers::WorkerOptions &options);
std::chrono::milliseconds sessionTimeoutFrom(const Arguments &arguments);
// What the files that jobs make lack: explicit, so that it does not depend on the shell that starts the worker.
mode_t umaskFrom(const Arguments &arguments);
// Throws CommandError if the jobs would run as root, and the arguments do not allow it.
void refuseRoot(const Arguments &arguments);

} // namespace drover::app
