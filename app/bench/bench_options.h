#pragma once

#include "app/arguments.h"
#include "app/bench/bench_server.h"
#include "app/bench/figures.h"
#include "app/context.h"

namespace drover::app {

// What the benchmarks' commands have in common.
QCommandLineOption jsonOption();

// The servers of --connect; empty, for a private one, without it: a benchmark never lands on the user's cluster because
// of an environment variable or a file.
QString benchServers(const Context &context);

// A name for what this process makes on a server that others use, too.
QByteArray scratchName();

void print(const Context &context, const Figures &figures);

} // namespace drover::app
