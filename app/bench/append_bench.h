#pragma once

#include "app/bench/figures/figures.h"
#include "jobs/model/layout.h"
#include "zk/client.h"

namespace drover::app {

struct AppendBenchOptions {
    QString path; // the file to create; must not exist
    int writers = 8;
    int recordSize = 100; // bytes
    std::chrono::milliseconds duration{5000};
};

// Writers, spread evenly over the sessions, append records to one file. Each writer appends its next record when the
// last one is committed. The writers of one session act as one process: they share transactions. Afterwards the file is
// compared with its ledger, byte for byte. Throws the errors of the append, and std::runtime_error if the file differs
// from the appended records.
async::Task<Figures> measureAppend(std::vector<zk::Client *> sessions, jobs::Layout layout, AppendBenchOptions options);

} // namespace drover::app
