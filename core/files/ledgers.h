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

// Whether a record with this key is reserved for the file of a path, or may be in that file. For a path that cannot be
// resolved here, so that neither the file nor its log can be read. False: the key is reserved nowhere, and no file of
// that name has a ledger. A link to a file of another name is not seen once the record is committed.
async::Task<bool> mayHaveRecord(zk::Client &zk, jobs::Layout layout, QString path, QByteArray key);

// Ends a ledger, with the file's lock. The next append begins a new one with the file as it is then, and forgets all
// earlier keys. False if there is no ledger. All writers must have ended: a late writer could write a record that it
// had reserved over records of the new ledger. Leaves the log to the caller (FileStore::removeLog).
async::Task<bool> forgetLedger(zk::Client &zk, jobs::Layout layout, QString path);

} // namespace drover::files
