#pragma once

#include "files/ledger.h"
#include "jobs/model/layout.h"
#include "zk/client.h"

#include <limits>

namespace drover::files {

// A ledger as it was read.
struct StoredLedger {
    Ledger ledger; // empty if malformed
    QString malformed; // why
    zk::Path node; // of the file: meta and lock are below it
    zk::Stat stat; // of meta
    int writers = 0; // present and waiting ones
};

// Reads wait out lost connections and throw SessionLost.

// Nothing if the file of that canonical path has no ledger.
async::Task<std::optional<StoredLedger>> readLedger(zk::Client &zk, jobs::Layout layout, QString path);

// The ledgers of all files, or of at most `most` files, by path.
async::Task<std::vector<StoredLedger>> readLedgers(zk::Client &zk, jobs::Layout layout,
                                                   qsizetype most = std::numeric_limits<qsizetype>::max());

// Ends a ledger, with the file's lock. The next append begins a new one with the file as it is then, and forgets all
// earlier keys. False if there is no ledger. All writers must have ended: a late writer could write a record that it
// had reserved over records of the new ledger. Leaves the log to the caller (FileStore::removeLog).
async::Task<bool> forgetLedger(zk::Client &zk, jobs::Layout layout, QString path);

} // namespace drover::files
