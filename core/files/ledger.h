#pragma once

#include "posix/file_descriptor.h"

#include <QByteArray>
#include <QString>

#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

namespace drover::files {

// The key is not valid. A key names a record for ever: it never appends twice.
class InvalidKey : public std::invalid_argument
{
public:
    explicit InvalidKey(const QByteArray &key);
};
inline constexpr qsizetype MaxKeySize = 200;
bool isValidKey(const QByteArray &key); // 1 to 200 bytes of UTF-8 without control characters

// Where one record lies in its file. Also a line of the file's log: "<offset> <length> <sha256> <key>\n".
struct FileRecord {
    QByteArray key;
    qint64 offset = 0; // bytes
    qint64 length = 0;
    QByteArray sha256; // hexadecimal

    QByteArray line() const;
    static std::optional<FileRecord> parse(const QByteArray &line); // without its line feed
};

// The bytes of a record before they are in the file: a short record is kept here, a long one in a file beside. Every
// writer of the file can read them, so another writer can finish the record if its own dies after the reservation.
struct Payload {
    static constexpr qint64 MaxInline = 4 * 1024;

    QByteArray bytes; // all of it, unless spooled
    QByteArray spool; // name of the file that holds it; empty: none
    std::shared_ptr<posix::FileDescriptor> spoolLock; // of its maker: keeps the spool from clearSpools()
    qint64 length = 0;
    QByteArray sha256; // hexadecimal

    static Payload of(const QByteArray &bytes);
};

struct PendingRecord {
    FileRecord record;
    Payload payload;
};

// The state of a shared file in ZooKeeper: the data of its ledger node, changed by version only.
//
//     base       committed         next
//     |  records |  pending        |
//     +----------+-----------------+      the file is exactly this long, or ends within the pending part
//
//  1. The ranges of records are disjoint and without gaps: each begins where the one before it ends.
//  2. Committed records are in the file, whole and synced, and are never written again with other bytes.
//  3. The place, length and hash of a pending record never change; every writer writes the same bytes there.
//  4. A writer that reads a ledger with pending records finishes them, also those of others, before it reserves more.
//
// The ledger does not contain the committed records. These are in the log beside the file, and the ledger has the log's
// length and digest. So it has a few kilobytes, whether the file has ten records or ten million.
struct Ledger {
    QString path; // of the file, canonical
    QByteArray id; // of this ledger; names its log
    quint64 inode = 0;
    qint64 base = 0; // bytes that were in the file when the ledger began
    QByteArray baseSha256;

    qint64 committed = 0; // end of the committed records
    qint64 records = 0; // committed
    qint64 logSize = 0; // bytes of the log
    QByteArray digest; // of the log: d = sha256(d + line), line by line, hexadecimal
    FileRecord last; // committed; length 0 if there is none

    std::vector<PendingRecord> pending;

    static Ledger begin(const QString &path, const QByteArray &id, quint64 inode, qint64 base,
                        const QByteArray &baseSha256);

    qint64 next() const; // where the file may end at most
    QByteArray pendingLines() const; // of the log

    const FileRecord &reserve(const QByteArray &key, const Payload &payload);
    // Turns all pending records into committed ones and returns them.
    std::vector<PendingRecord> commit();

    QByteArray encode() const;
    static Ledger decode(const QByteArray &bytes); // throws jobs::Malformed
};

QByteArray digestOf(const QByteArray &digest, const QByteArray &line);

} // namespace drover::files
