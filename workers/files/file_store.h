#pragma once

#include "workers/files/ledger.h"

#include <QStringList>

#include <functional>

class QFileDevice;

namespace drover::workers {

// The file is not what its ledger says, or has lost what belongs to it. Nothing was written; the message says what is
// wrong and what can be done.
class FileRefused : public std::runtime_error
{
public:
    enum class Why {
        Gone, // there is no such file any more
        Replaced, // another file has its name: rotation, a mount
        Truncated, // shorter than its committed records
        ForeignBytes, // bytes at its end that nobody reserved
        Altered, // a committed record has other bytes
        LogMissing, // the log beside it; or this machine has another file of that name
        LogAltered,
        SpoolLost, // the bytes of a reserved record are gone, or not those of its hash
    };

    FileRefused(Why why, const QString &file, const QString &what);
    Why why() const { return m_why; }

private:
    Why m_why;
};

// The system refused: no room, no permission, no such folder. What was reserved stays so and can be finished later.
class FileError : public std::runtime_error
{
public:
    FileError(const QString &doing, int error);
};

// A record is reserved, or may be, and cannot be written now: it may get into the file any time.
class AppendUnsettled : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// A shared file and what lies beside it, on storage that all its writers see:
//
//     report                     the records, nothing else
//     .report.drover/
//         log-<ledger id>        a line for each committed record; written like the file itself, at reserved places
//         spool-<uuid>           a long record that is not in the file yet
//
// Everything here blocks: for a thread pool. Safe to run in several processes at once, however late one of them comes:
// what is written, and where, is fixed by the ledger.
class FileStore
{
public:
    // Absolute, without links, so that a file has one ledger. Its folder has to exist. Throws FileError.
    static QString canonicalPath(const QString &path);

    explicit FileStore(QString canonicalPath);

    const QString &path() const { return m_path; }
    const QString &sidecar() const { return m_sidecar; }
    QString logOf(const Ledger &ledger) const;

    // A ledger for the file as it is now; makes what is missing. What it has by now is read once, for its hash.
    Ledger begin() const;

    // Compares the file with the ledger, as far as that costs nothing: identity, length, the last record, the log's
    // length. Changes nothing.
    void check(const Ledger &ledger) const;
    // The same; then writes what is pending, syncs it, and looks at the length again.
    void apply(const Ledger &ledger) const;

    // Reads to the end. What is too long for the ledger is spooled and synced. Once `interrupt` can be read (-1: never)
    // it throws FileError instead of waiting for more.
    Payload takeIn(int fd, int interrupt = -1) const;
    Payload takeIn(const QString &file) const;
    Payload takeIn(QByteArray bytes) const;
    void drop(const Payload &payload) const; // its spool, if it has one

    // Removes spools that nobody needs: an hour old, not pending, their makers dead. With the file's lock.
    void clearSpools(const Ledger &ledger) const;

    // Of the log's lines from byte `from` on.
    std::vector<size_t> keyHashes(const Ledger &ledger, qint64 from) const;
    std::optional<FileRecord> find(const Ledger &ledger, const QByteArray &key) const; // committed

    // Compares every byte. Faults are sentences for people.
    struct Comparison {
        qint64 size = 0; // of the file
        qint64 records = 0; // that are in the file as the log says
        QStringList faults;
    };
    Comparison compare(const Ledger &ledger) const;

    // After the ledger's znode is gone.
    void removeLog(const Ledger &ledger) const;

private:
    struct Opened;
    Opened openChecked(const Ledger &ledger, int access) const;
    Payload spool(const std::function<QByteArray()> &read) const;
    void makeSidecar() const;

    QString m_path;
    QString m_sidecar;
};

} // namespace drover::workers
