#pragma once

#include "jobs/layout.h"
#include "workers/files/ledger.h"
#include "zk/coordinator.h"

#include <limits>

namespace drover::workers {

// A ledger as it was read.
struct StoredLedger {
    Ledger ledger; // empty if malformed
    QString malformed; // why
    zk::Path node; // of the file: meta and lock are below it
    zk::Stat stat; // of meta
    int writers = 0; // who writes, or waits to
};

// Reads wait out lost connections and throw SessionLost.

// Nothing if there is no ledger for the file of that canonical path.
async::Task<std::optional<StoredLedger>> readLedger(zk::Coordinator &zk, jobs::Layout layout, QString path);

// Those of all files, or of some `most` of them, by path.
async::Task<std::vector<StoredLedger>> readLedgers(zk::Coordinator &zk, jobs::Layout layout,
                                                   qsizetype most = std::numeric_limits<qsizetype>::max());

// Ends a ledger, with the file's lock: the next append begins another with the file as it is then, and knows no key of
// before. False if there is none. Its writers have to be at an end: what one of them had reserved may still be written
// by it, where the new ledger has other records. Leaves the log to the caller (FileStore::removeLog).
async::Task<bool> forgetLedger(zk::Coordinator &zk, jobs::Layout layout, QString path);

} // namespace drover::workers
