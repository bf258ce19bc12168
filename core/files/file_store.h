#pragma once

#include "files/ledger.h"

#include <QString>

#include <functional>
#include <stdexcept>

class QFileDevice;

namespace drover::files {

// The file does not match its ledger, or one of the files beside it is lost. Nothing was written; the message says what
// is wrong and what to do.
class FileRefused : public std::runtime_error
{
public:
    enum class Why {
        Gone, // the file no longer exists
        Replaced, // another file has its name: rotation, a mount
        Truncated, // shorter than its committed records
        ForeignBytes, // bytes at its end that are not reserved
        Altered, // a committed record has other bytes
        LogMissing, // no log beside it; perhaps another file on this machine
        LogAltered,
        SpoolLost, // a reserved record's bytes are gone or do not match
    };

    FileRefused(Why why, const QString &file, const QString &what);
    Why why() const { return m_why; }

private:
    Why m_why;
};

// The system refused: no room, no permission, no such folder. Reserved records stay reserved and can be finished later.
class FileError : public std::runtime_error
{
public:
    FileError(const QString &doing, int error);
};

// A record is reserved, or may be, and cannot be written now. It may get into the file at any time.
class AppendUnsettled : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// What the record was to be reserved under no longer holds. It is not in the file and never will be by this append.
class AppendRevoked : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// A shared file and the files beside it, on storage that all its writers see:
//
//     report                     the records, nothing else
//     .report.drover/
//         log-<ledger id>        a line for each committed record; written at reserved places, like the file
//         spool-<uuid>           a long record that is not in the file yet
//
// All functions block: call them in a thread pool. Several processes may run them at once, and one of them may come
// late: the ledger fixes the bytes and the places of all writes.
class FileStore
{
public:
    // Absolute and without links, so that a file has one ledger. Its folder must exist. Throws FileError.
    static QString canonicalPath(const QString &path);

    explicit FileStore(QString canonicalPath);

    const QString &path() const { return m_path; }
    const QString &sidecar() const { return m_sidecar; }
    QString logOf(const Ledger &ledger) const;

    // A ledger for the file as it is now. Creates the file and its log if they are missing, and reads the file once,
    // for its hash.
    Ledger begin() const;

    // Compares the file with the ledger where that is cheap: identity, length, the last record, the log's length.
    // Changes nothing.
    void check(const Ledger &ledger) const;
    // Calls check(), then writes the pending records, syncs them, and checks the length again.
    void apply(const Ledger &ledger) const;

    // Reads to the end. A record that is too long for the ledger is spooled and synced. Once `interrupt` can be read
    // (-1: never) it throws FileError instead of waiting for more.
    Payload takeIn(int fd, int interrupt = -1) const;
    Payload takeIn(const QString &file) const;
    Payload takeIn(QByteArray bytes) const;
    void drop(const Payload &payload) const; // removes its spool, if any

    // Removes spools that are an hour old, not pending, and whose makers are dead. The caller holds the file's lock.
    void clearSpools(const Ledger &ledger) const;

    // Call it once the ledger's znode is gone.
    void removeLog(const Ledger &ledger) const;

private:
    struct Opened;
    Opened openChecked(const Ledger &ledger, int access) const;
    Payload spool(const std::function<QByteArray()> &read) const;
    void makeSidecar() const;

    QString m_path;
    QString m_sidecar;
};

} // namespace drover::files
