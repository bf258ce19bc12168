#include "files/file_store.h"

#include "files/file_access.h"
#include "posix/trusted_open.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QUuid>

#include <algorithm>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>

namespace drover::files {

using posix::FileDescriptor;
using Why = FileRefused::Why;

namespace {

constexpr qint64 QuickCheck = 64 * 1024; // bytes of the last record that are compared each time

QString sizeText(qint64 bytes)
{
    return bytes == 1 ? QStringLiteral("1 byte") : QStringLiteral("%1 bytes").arg(bytes);
}

// What is there already of these bytes has to be theirs, from a writer that died or is a zombie; zeros are what a file
// system leaves where a write was torn. Anything else is another's, and is not overwritten.
void put(const FileDescriptor &fd, const QString &path, const QByteArray &bytes, qint64 offset)
{
    const QByteArray present = readAt(fd, path, offset, bytes.size());
    const auto mayStand = [](char is, char shall) { return is == shall || is == 0; };
    if (!std::equal(present.begin(), present.end(), bytes.begin(), mayStand))
        throw FileRefused(
            Why::ForeignBytes, path,
            QStringLiteral("another program has written after byte %1, where a record is reserved").arg(offset));
    writeAll(fd, path, bytes, offset);
}

FileDescriptor openShared(const QString &path, const Ledger &ledger, int flags)
{
    FileDescriptor file = openIfThere(path, flags);
    if (!file)
        throw FileRefused(Why::Gone, path,
                          QStringLiteral("the file is gone; its ledger has %1 records of it").arg(ledger.records));
    const struct ::stat stat = statOf(file, path);
    if (!S_ISREG(stat.st_mode) || stat.st_ino != ledger.inode)
        throw FileRefused(Why::Replaced, path,
                          QStringLiteral("another file has taken its name (rotated, restored or moved: inode %1, the "
                                         "ledger's is %2)")
                              .arg(stat.st_ino)
                              .arg(ledger.inode));
    return file;
}

// Long records go from their spool to the file; short ones that follow each other are one write.
class PendingWriter
{
public:
    PendingWriter(const FileDescriptor &file, const QString &path, const QString &sidecar)
        : m_file(file), m_path(path), m_sidecar(sidecar)
    {
    }

    void write(const Ledger &ledger)
    {
        for (const PendingRecord &pending : ledger.pending) {
            if (m_run.isEmpty())
                m_runAt = pending.record.offset;
            if (pending.payload.spool.isEmpty()) {
                m_run += pending.payload.bytes;
                continue;
            }
            flush();
            copy(pending);
        }
        flush();
    }

private:
    void flush()
    {
        put(m_file, m_path, m_run, m_runAt);
        m_run.clear();
    }

    void copy(const PendingRecord &pending)
    {
        const QString name = m_sidecar + u'/' + QString::fromLatin1(pending.payload.spool);
        const FileDescriptor spool = openIfThere(name, O_RDONLY);
        if (!spool || sha256Of(spool, name, 0, pending.record.length) != pending.record.sha256)
            throw FileRefused(Why::SpoolLost, m_path,
                              QStringLiteral("record %1 is reserved, but %2, which holds its bytes, is %3")
                                  .arg(QString::fromUtf8(pending.record.key), name,
                                       spool ? QStringLiteral("damaged") : QStringLiteral("gone")));
        qint64 at = pending.record.offset;
        forEachChunk(spool, name, 0, pending.record.length, [&](const QByteArray &chunk) {
            put(m_file, m_path, chunk, at);
            at += chunk.size();
        });
    }

    const FileDescriptor &m_file;
    const QString &m_path;
    const QString &m_sidecar;
    QByteArray m_run;
    qint64 m_runAt = 0;
};

void requireLength(const QString &path, qint64 size, qint64 least, qint64 most)
{
    if (size < least)
        throw FileRefused(
            Why::Truncated, path,
            QStringLiteral("it has been truncated: it has %1, its ledger %2").arg(sizeText(size), sizeText(least)));
    if (size > most)
        throw FileRefused(Why::ForeignBytes, path,
                          QStringLiteral("another program has written %1 to its end, after byte %2")
                              .arg(sizeText(size - most))
                              .arg(most));
}

// Empty at the end of the input.
QByteArray nextChunk(int fd, int interrupt)
{
    QByteArray chunk(ChunkSize, Qt::Uninitialized);
    for (;;) {
        pollfd ready[]{{.fd = fd, .events = POLLIN, .revents = 0}, {.fd = interrupt, .events = POLLIN, .revents = 0}};
        if (fd >= 0 && ::poll(ready, std::size(ready), -1) < 0)
            continue; // a signal
        if (ready[1].revents != 0)
            throw FileError(QStringLiteral("read the input"), ECANCELED);
        const ssize_t count = ::read(fd, chunk.data(), std::size_t(chunk.size()));
        if (count >= 0)
            return chunk.first(count);
        if (errno != EINTR && errno != EAGAIN)
            throw FileError(QStringLiteral("read the input"), errno);
    }
}

} // namespace

FileRefused::FileRefused(Why why, const QString &file, const QString &what)
    : std::runtime_error(QStringLiteral("%1 does not match its ledger: %2; restore it, or begin "
                                        "a new ledger with the file as it is: drover files forget %1")
                             .arg(file, what)
                             .toStdString()),
      m_why(why)
{
}

FileError::FileError(const QString &doing, int error)
    : std::runtime_error("cannot " + doing.toStdString() + ": " + std::generic_category().message(error))
{
}

QString FileStore::canonicalPath(const QString &path)
{
    const std::string absolute = QFile::encodeName(QFileInfo(path).absoluteFilePath()).toStdString();
    const std::optional<posix::TrustedPlace> place = posix::trustedPlace(absolute);
    if (!place)
        throw FileError(QStringLiteral("find the folder of %1").arg(path), errno);
    return QFile::decodeName(QByteArray::fromStdString(place->path()));
}

FileStore::FileStore(QString canonicalPath) : m_path(std::move(canonicalPath))
{
    const QFileInfo file(m_path);
    m_sidecar = QStringLiteral("%1/.%2.drover").arg(file.path(), file.fileName());
}

QString FileStore::logOf(const Ledger &ledger) const
{
    return m_sidecar + QStringLiteral("/log-") + QString::fromLatin1(ledger.id);
}

Ledger FileStore::begin() const
{
    const FileDescriptor file = openFile(m_path, O_RDWR | O_CREAT);
    const struct ::stat stat = statOf(file, m_path);
    if (!S_ISREG(stat.st_mode))
        throw FileError(QStringLiteral("share %1").arg(m_path), EINVAL);
    makeSidecar();
    const QByteArray id = QUuid::createUuid().toByteArray(QUuid::Id128);
    const Ledger ledger = Ledger::begin(m_path, id, stat.st_ino, stat.st_size, sha256Of(file, m_path, 0, stat.st_size));
    const QString log = logOf(ledger);
    syncFile(openFile(log, O_RDWR | O_CREAT | O_EXCL), log);
    syncFile(file, m_path);
    syncFolder(m_sidecar);
    syncFolder(QFileInfo(m_path).path());
    return ledger;
}

struct FileStore::Opened {
    FileDescriptor file;
    FileDescriptor log;
};

// Throws FileRefused.
FileStore::Opened FileStore::openChecked(const Ledger &ledger, int access) const
{
    FileDescriptor file = openShared(m_path, ledger, access);
    requireLength(m_path, statOf(file, m_path).st_size, ledger.committed, ledger.next());
    const FileRecord &last = ledger.last;
    if (last.length > 0 && last.length <= QuickCheck && sha256Of(file, m_path, last.offset, last.length) != last.sha256)
        throw FileRefused(Why::Altered, m_path,
                          QStringLiteral("its last record, %1, has other bytes").arg(QString::fromUtf8(last.key)));

    const QString logName = logOf(ledger);
    FileDescriptor log = openIfThere(logName, access);
    if (!log)
        throw FileRefused(Why::LogMissing, m_path,
                          QStringLiteral("the log of its records, %1, is not there (removed, or this machine has "
                                         "another file of that name)")
                              .arg(logName));
    const qint64 logSize = statOf(log, logName).st_size;
    if (logSize < ledger.logSize || logSize > ledger.logSize + ledger.pendingLines().size()
        || statOf(log, logName).st_dev != statOf(file, m_path).st_dev)
        throw FileRefused(Why::LogAltered, m_path,
                          QStringLiteral("the log of its records, %1, has %2, the ledger says %3")
                              .arg(logName, sizeText(logSize), sizeText(ledger.logSize)));
    return {std::move(file), std::move(log)};
}

void FileStore::check(const Ledger &ledger) const
{
    // A ledger may name anything: a device may act on being opened, and a pipe would be waited for.
    if (const QFileInfo file(m_path); file.exists() && !file.isFile())
        throw FileRefused(Why::Replaced, m_path, QStringLiteral("it is not a regular file"));
    openChecked(ledger, O_RDONLY | O_NONBLOCK);
}

void FileStore::apply(const Ledger &ledger) const
{
    // Each write is synced by itself: nothing is left to a later fsync, whose error another process may have got, and
    // an NFS client does not widen such a write to what else it believes is in the page.
    const Opened opened = openChecked(ledger, O_RDWR | O_DSYNC);
    if (ledger.pending.empty())
        return;
    PendingWriter(opened.file, m_path, m_sidecar).write(ledger);
    put(opened.log, logOf(ledger), ledger.pendingLines(), ledger.logSize);
    requireLength(m_path, statOf(opened.file, m_path).st_size, ledger.next(), ledger.next());
}

Payload FileStore::takeIn(const QString &file) const
{
    const FileDescriptor source = posix::openTrusted(QFile::encodeName(file).toStdString(), O_RDONLY | O_NOFOLLOW, 0);
    if (!source)
        throw FileError(QStringLiteral("open %1").arg(file), errno);
    return takeIn(source.get());
}

Payload FileStore::takeIn(int fd, int interrupt) const
{
    const auto read = [=] { return nextChunk(fd, interrupt); };
    QByteArray head;
    QByteArray chunk;
    while (head.size() <= Payload::MaxInline && !(chunk = read()).isEmpty())
        head += chunk;
    if (head.size() <= Payload::MaxInline)
        return Payload::of(head);
    return spool([&] { return head.isEmpty() ? read() : std::exchange(head, {}); });
}

Payload FileStore::takeIn(QByteArray bytes) const
{
    if (bytes.size() <= Payload::MaxInline)
        return Payload::of(bytes);
    return spool([&] { return std::exchange(bytes, {}); });
}

Payload FileStore::spool(const std::function<QByteArray()> &read) const
{
    if (const QFileInfo file(m_path); file.exists() && !file.isFile())
        throw FileError(QStringLiteral("share %1").arg(m_path), EINVAL); // before there is a folder beside it
    makeSidecar();
    Payload payload;
    payload.spool = "spool-" + QUuid::createUuid().toByteArray(QUuid::Id128);
    const QString name = m_sidecar + u'/' + QString::fromLatin1(payload.spool);
    try {
        payload.spoolLock = std::make_shared<FileDescriptor>(openFile(name, O_WRONLY | O_CREAT | O_EXCL));
        const FileDescriptor &file = *payload.spoolLock;
        ::flock(file.get(), LOCK_EX | LOCK_NB); // dropped by the kernel when we die; without it, the age alone counts
        QCryptographicHash hash(QCryptographicHash::Sha256);
        for (QByteArray chunk = read(); !chunk.isEmpty(); chunk = read()) {
            writeAll(file, name, chunk, payload.length);
            hash.addData(chunk);
            payload.length += chunk.size();
        }
        payload.sha256 = hash.result().toHex();
        syncFile(file, name);
        syncFolder(m_sidecar);
    } catch (...) {
        drop(payload);
        throw;
    }
    return payload;
}

void FileStore::makeSidecar() const
{
    const QFileInfo sidecar(m_sidecar);
    const FileDescriptor folder = openFile(sidecar.path(), O_RDONLY | O_DIRECTORY);
    if (::mkdirat(folder.get(), QFile::encodeName(sidecar.fileName()).constData(), 0777) != 0 && errno != EEXIST)
        throw FileError(QStringLiteral("make the folder %1").arg(m_sidecar), errno);
}

void FileStore::drop(const Payload &payload) const
{
    if (!payload.spool.isEmpty())
        QFile::remove(m_sidecar + u'/' + QString::fromLatin1(payload.spool));
}

void FileStore::clearSpools(const Ledger &ledger) const
{
    constexpr qint64 Age = 3600; // seconds: longer than it takes from a reservation to its commit
    const QDateTime before = QDateTime::currentDateTimeUtc().addSecs(-Age);
    const QFileInfoList spools = QDir(m_sidecar).entryInfoList({QStringLiteral("spool-*")}, QDir::Files);
    for (const QFileInfo &spool : spools) {
        const auto isPending = [name = spool.fileName().toLatin1()](const PendingRecord &pending) {
            return pending.payload.spool == name;
        };
        if (spool.lastModified() > before || std::any_of(ledger.pending.begin(), ledger.pending.end(), isPending))
            continue;
        const FileDescriptor fd = openIfThere(spool.filePath(), O_RDWR);
        if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
            QFile::remove(spool.filePath());
    }
}

void FileStore::removeLog(const Ledger &ledger) const
{
    QFile::remove(logOf(ledger));
    for (const PendingRecord &pending : ledger.pending)
        drop(pending.payload);
    QDir().rmdir(m_sidecar); // if that was all
}

} // namespace drover::files
