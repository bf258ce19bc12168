#pragma once

#include "app/environment/context.h"
#include "app/worker/worker_policy.h"
#include "workers/attempts/worker_options.h"
#include "workers/process/runner_client.h"

#include <sys/types.h>

namespace drover::app {

// What the options of `drover worker` say, and its policy file where they say nothing. Each function throws UsageError
// with the option's name when a value does not fit.

// Without what the worker serves and keeps beside its jobs: outputServer, outputEndpoint and history. The id is empty
// if neither names one. Throws CommandError if each job would run as root, and neither the arguments nor the policy
// allow it. A worker of root whose policy names users runs only jobs of these, and runs the others as its default user,
// if there is one.
workers::WorkerOptions workerOptionsFrom(const Context &context, const WorkerPolicy &policy);
workers::RunnerClient::Options runnerOptionsFrom(const Arguments &arguments, const WorkerPolicy &policy,
                                                 const workers::WorkerOptions &options);
std::chrono::milliseconds sessionTimeoutFrom(const Arguments &arguments, const WorkerPolicy &policy);
mode_t umaskFrom(const Arguments &arguments, const WorkerPolicy &policy);
// The settings of this machine, with the worker's own history, and where it listens.
Settings settingsFrom(const Context &context, const WorkerPolicy &policy);

} // namespace drover::app
