#pragma once

namespace drover::runner {

// What the programs of jobs may keep of root's capabilities: those that concern files, processes, users, low ports and
// limits. Without the rest a job of root cannot load modules, mount, change the network or the clock, nor look into
// processes that hide from others. Call it while this process has one thread. This process itself loses nothing. Does
// nothing without CAP_SETPCAP: then jobs have no more than the worker was given.
void boundCapabilities();

// For a process that changes its user. The first comes before the change: no program that it executes gets
// a capability. The second comes after it: the process has none itself. It returns 0, or an errno if one is left. Both
// make system calls only.
void emptyBoundingSet();
int dropCapabilities();

} // namespace drover::runner
