#include "files/file_log.h"

#include "files/file_access.h"

#include <QHashFunctions>

#include <fcntl.h>

namespace drover::files {

using posix::FileDescriptor;

namespace {

// Calls `take` with each line, without its line feed, of the part of the log that the ledger vouches for.
void forEachLine(const QString &name, const FileDescriptor &log, qint64 from, qint64 to,
                 const std::function<void(const QByteArray &)> &take)
{
    QByteArray rest;
    forEachChunk(log, name, from, to - from, [&](const QByteArray &chunk) {
        rest += chunk;
        qsizetype begin = 0;
        for (qsizetype end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', begin)) {
            take(rest.mid(begin, end - begin));
            begin = end + 1;
        }
        rest.remove(0, begin);
    });
}

// Walks through the file record by record, as the log has them.
class Comparer
{
public:
    Comparer(const FileDescriptor &file, const QString &path, const Ledger &ledger)
        : m_file(file), m_path(path), m_at(ledger.base)
    {
    }

    void take(const QByteArray &line)
    {
        m_digest = digestOf(m_digest, line + '\n');
        const std::optional<FileRecord> record = FileRecord::parse(line);
        if (!record || record->offset != m_at) {
            fault(QStringLiteral("line %1 of its log names no record at byte %2").arg(m_lines + 1).arg(m_at));
        } else if (sha256Of(m_file, m_path, record->offset, record->length) != record->sha256) {
            fault(QStringLiteral("record %1, %2 bytes at byte %3, has other bytes")
                      .arg(QString::fromUtf8(record->key), QString::number(record->length),
                           QString::number(record->offset)));
        } else {
            ++m_good;
        }
        if (record)
            m_at = record->offset + record->length;
        ++m_lines;
    }

    void fault(const QString &text)
    {
        constexpr qsizetype Enough = 20;
        if (m_faults.size() < Enough)
            m_faults.append(text);
    }

    const QByteArray &digest() const { return m_digest; }
    qint64 good() const { return m_good; }
    QStringList faults() const { return m_faults; }

private:
    const FileDescriptor &m_file;
    const QString &m_path;
    qint64 m_at;
    qint64 m_lines = 0;
    qint64 m_good = 0;
    QByteArray m_digest;
    QStringList m_faults;
};

} // namespace

std::vector<size_t> keyHashes(const FileStore &store, const Ledger &ledger, qint64 from)
{
    const QString name = store.logOf(ledger);
    const FileDescriptor log = openFile(name, O_RDONLY);
    std::vector<size_t> hashes;
    forEachLine(name, log, from, ledger.logSize, [&](const QByteArray &line) {
        if (const std::optional<FileRecord> record = FileRecord::parse(line))
            hashes.push_back(qHash(record->key));
    });
    return hashes;
}

std::optional<FileRecord> findRecord(const FileStore &store, const Ledger &ledger, const QByteArray &key)
{
    const QString name = store.logOf(ledger);
    const FileDescriptor log = openFile(name, O_RDONLY);
    std::optional<FileRecord> found;
    const QByteArray end = ' ' + key;
    forEachLine(name, log, 0, ledger.logSize, [&](const QByteArray &line) {
        if (!line.endsWith(end))
            return;
        const std::optional<FileRecord> record = FileRecord::parse(line);
        if (record && record->key == key)
            found = record;
    });
    return found;
}

Comparison compare(const FileStore &store, const Ledger &ledger)
{
    Comparison comparison;
    const QString &path = store.path();
    const FileDescriptor file = openIfThere(path, O_RDONLY);
    const QString logName = store.logOf(ledger);
    const FileDescriptor log = openIfThere(logName, O_RDONLY);
    if (!file || !log) {
        comparison.faults.append(QStringLiteral("%1 is gone").arg(file ? logName : path));
        return comparison;
    }
    const struct ::stat stat = statOf(file, path);
    comparison.size = stat.st_size;
    Comparer comparer(file, path, ledger);
    if (stat.st_ino != ledger.inode)
        comparer.fault(QStringLiteral("another file has taken its name"));
    if (comparison.size < ledger.committed)
        comparer.fault(QStringLiteral("it has %1 bytes, its ledger %2").arg(comparison.size).arg(ledger.committed));
    if (sha256Of(file, path, 0, ledger.base) != ledger.baseSha256)
        comparer.fault(QStringLiteral("its first %1 bytes, from before the ledger, have changed").arg(ledger.base));
    forEachLine(logName, log, 0, ledger.logSize, [&comparer](const QByteArray &line) { comparer.take(line); });
    if (comparer.digest() != ledger.digest)
        comparer.fault(QStringLiteral("its log, %1, is not what was committed").arg(logName));
    comparison.records = comparer.good();
    comparison.faults = comparer.faults();
    return comparison;
}

} // namespace drover::files
