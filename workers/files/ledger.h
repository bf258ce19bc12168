#pragma once

#include "workers/runner/fd.h"

#include <QByteArray>
#include <QString>

#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

namespace drover::workers {

// A key names a record for ever: the same key never appends twice.
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

// The bytes of a record before they are in the file: short ones themselves, long ones in a file beside it. Whoever can
// write the file can get at them, so a writer's death between reservation and writing leaves nothing that others cannot
// finish.
struct Payload {
    static constexpr qint64 MaxInline = 4 * 1024;

    QByteArray bytes; // all of it, unless spooled
    QByteArray spool; // name of the file that holds it; empty: none
    std::shared_ptr<runner::Fd> spoolLock; // of its maker: while it lives, nobody clears the spool away
    qint64 length = 0;
    QByteArray sha256; // hexadecimal

    static Payload of(const QByteArray &bytes);
};

struct PendingRecord {
    FileRecord record;
    Payload payload;
};

// What ZooKeeper knows of a shared file: the data of its ledger node, changed by version only.
//
//     base       committed         next
//     |  records |  pending        |
//     +----------+-----------------+      the file is exactly this long, or ends within the pending part
//
//  1. The ranges of records are disjoint and without gaps: each begins where the one before it ends.
//  2. What is committed is in the file, whole and synced, and never written again with other bytes.
//  3. What is pending has its place, its length and its hash for good; whoever writes it writes the same bytes there.
//  4. Nothing is reserved while something is pending of a ledger that was just read: it is finished first, by anybody.
//
// The committed records are not in here but in the log beside the file, whose length and digest are: the ledger has the
// same few kilobytes whether the file has ten records or ten million.
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
    // All that is pending is committed. Returns what it was.
    std::vector<PendingRecord> commit();

    QByteArray encode() const;
    static Ledger decode(const QByteArray &bytes); // throws jobs::Malformed
};

QByteArray digestOf(const QByteArray &digest, const QByteArray &line);

} // namespace drover::workers
