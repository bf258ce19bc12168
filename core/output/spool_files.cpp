#include "output/spool_files.h"

#include "output/segment.h"
#include "posix/file_descriptor.h"

#include <QFile>
#include <QSysInfo>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>

namespace drover::output {

namespace {

[[noreturn]] void fail(const QString &path)
{
    throw std::system_error(errno, std::generic_category(), path.toStdString());
}

// What one file holds of a stream.
struct Piece {
    posix::FileDescriptor file;
    qint64 from = 0; // its first byte in the stream
    qint64 size = 0;
    qint64 header = 0; // bytes of the file before it

    qint64 end() const { return from + size; }
};

struct stat statusOf(const Piece &piece, const QString &path)
{
    struct stat status {
    };
    if (::fstat(piece.file.get(), &status) < 0)
        fail(path);
    return status;
}

// Nothing where there is no file.
std::optional<Piece> openPiece(const QString &path)
{
    // A pipe at this path must not block the read, nor a link lead it elsewhere.
    Piece piece{posix::FileDescriptor(
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC))};
    if (!piece.file) {
        if (errno == ENOENT || errno == ELOOP)
            return std::nullopt;
        fail(path);
    }
    const struct stat status = statusOf(piece, path);
    if (!S_ISREG(status.st_mode))
        return std::nullopt;
    piece.size = status.st_size;
    return piece;
}

std::optional<Piece> openSegment(const QString &path)
{
    std::optional<Piece> piece = openPiece(path);
    if (!piece)
        return std::nullopt;
    std::array<char, segmentHeaderSize> header{};
    const ssize_t count = ::pread(piece->file.get(), header.data(), header.size(), 0);
    const std::optional<qint64> from =
        segmentFrom(std::string_view(header.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0))));
    if (!from) // just begun
        return std::nullopt;
    piece->from = *from;
    piece->header = segmentHeaderSize;
    piece->size = std::max<qint64>(piece->size - piece->header, 0);
    return piece;
}

// In their order. The beginning is opened first: what has gone from it is in a segment by then. Whatever a later file
// begins with, the ones before it have grown to meet, so that their sizes are asked for again.
std::vector<Piece> openPieces(const QString &path)
{
    std::vector<Piece> pieces;
    std::optional<Piece> beginning = openPiece(path);
    if (!beginning)
        return pieces;
    pieces.push_back(std::move(*beginning));
    for (const char *const suffix : segmentSuffixes) {
        if (std::optional<Piece> segment = openSegment(path + QLatin1String(suffix)))
            pieces.push_back(std::move(*segment));
    }
    for (Piece &piece : pieces)
        piece.size = std::max<qint64>(piece.size, statusOf(piece, path).st_size - piece.header);
    std::sort(pieces.begin(), pieces.end(), [](const Piece &a, const Piece &b) { return a.from < b.from; });
    return pieces;
}

// Its size is asked for once more, because what is cut off is not just gone: for a moment it can be read as zeros.
QByteArray readPiece(const Piece &piece, qint64 from, qint64 atMost, const QString &path)
{
    const qint64 offset = piece.header + from - piece.from;
    QByteArray bytes(std::min(piece.end() - from, atMost), Qt::Uninitialized);
    const ssize_t count = ::pread(piece.file.get(), bytes.data(), static_cast<std::size_t>(bytes.size()), offset);
    if (count < 0)
        fail(path);
    const qint64 present = statusOf(piece, path).st_size - offset;
    bytes.truncate(std::clamp<qint64>(present, 0, count));
    return bytes;
}

// What is there without a gap, from `from` on or from where there is something again.
OutputReply::Part partOf(const std::vector<Piece> &pieces, qint64 from, qint64 atMost, const QString &path)
{
    OutputReply::Part part;
    qint64 at = from;
    for (const Piece &piece : pieces) {
        part.size = std::max(part.size.value_or(0), piece.end());
        if (piece.end() <= at || part.bytes.size() == atMost || (piece.from > at && !part.bytes.isEmpty()))
            continue;
        const qint64 begin = std::max(at, piece.from);
        const QByteArray bytes = readPiece(piece, begin, atMost - part.bytes.size(), path);
        if (bytes.isEmpty()) // gone meanwhile
            continue;
        if (part.bytes.isEmpty())
            part.skipped = begin - from;
        part.bytes += bytes;
        at = begin + bytes.size();
    }
    return part;
}

OutputReply::Part readStream(const QString &path, qint64 from, qint64 atMost)
{
    constexpr int Tries = 3; // while its end moves from file to file something may seem to be missing
    for (int i = 1;; ++i) {
        const std::vector<Piece> pieces = openPieces(path);
        OutputReply::Part part = partOf(pieces, from, atMost, path);
        const bool isAsked = atMost > 0 && from < part.size.value_or(0);
        const bool isThere = part.skipped == 0 && !part.bytes.isEmpty();
        if (!isAsked || isThere || i == Tries)
            return part;
    }
}

} // namespace

SpoolFiles SpoolFiles::of(const QString &spool, const jobs::JobId &id, int attempt)
{
    const QString stem = QStringLiteral("%1/%2.%3").arg(spool, id.toString()).arg(attempt);
    return {stem + QLatin1String(".out"), stem + QLatin1String(".err")};
}

OutputReply readSpool(const SpoolFiles &files, const OutputRequest &request)
{
    OutputReply reply;
    if (request.outputFrom)
        reply.output = readStream(files.output, *request.outputFrom, request.atMost);
    if (request.errorFrom)
        reply.error = readStream(files.error, *request.errorFrom, request.atMost);
    return reply;
}

QString placeOf(const QString &directory)
{
    struct stat status {
    };
    const QByteArray boot = QSysInfo::bootUniqueId();
    if (boot.isEmpty() || ::stat(QFile::encodeName(directory).constData(), &status) < 0)
        return {};
    return QStringLiteral("%1:%2:%3").arg(QString::fromLatin1(boot)).arg(status.st_dev).arg(status.st_ino);
}

} // namespace drover::output
