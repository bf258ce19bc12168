#pragma once

#include "app/bench/figures.h"
#include "jobs/layout.h"
#include "zk/coordinator.h"

namespace drover::app {

struct AppendBenchOptions {
    QString path; // of the file; must not be there yet
    int writers = 8;
    int recordSize = 100; // bytes
    std::chrono::milliseconds duration{5000};
};

// Writers, spread evenly over the sessions, append records to one file, each its next one when the last is committed.
// Those of one session are one process's: they share transactions. Afterwards the file is compared with its ledger,
// byte for byte. Throws what the append throws, and std::runtime_error if the file is not what was appended.
async::Task<Figures> measureAppend(std::vector<zk::Coordinator *> sessions, jobs::Layout layout,
                                   AppendBenchOptions options);

} // namespace drover::app
