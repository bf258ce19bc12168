#pragma once

#include "files/file_store.h"

#include <QStringList>

#include <optional>
#include <vector>

namespace drover::files {

// What the log of the committed records says (file_store.h has its place). All functions block: call them in a thread
// pool. They throw FileError.

// The hashes of the keys in the log's lines from byte `from` on.
std::vector<size_t> keyHashes(const FileStore &store, const Ledger &ledger, qint64 from);
std::optional<FileRecord> findRecord(const FileStore &store, const Ledger &ledger, const QByteArray &key);

// The faults are sentences for people.
struct Comparison {
    qint64 size = 0; // the file's size in bytes
    qint64 records = 0; // records that match the log
    QStringList faults;
};

// Compares every byte of the file and of the log with the ledger.
Comparison compare(const FileStore &store, const Ledger &ledger);

} // namespace drover::files
