#include "output/spool_files.h"

#include "net/file_descriptor.h"

#include <QFile>
#include <QSysInfo>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>

namespace drover::output {

namespace {

[[noreturn]] void fail(const QString &path)
{
    throw std::system_error(errno, std::generic_category(), path.toStdString());
}

OutputReply::Part readFile(const QString &path, qint64 from, qint64 atMost)
{
    // Not blocked by a pipe that somebody has put there, nor led elsewhere by a link.
    const net::FileDescriptor fd(
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    if (!fd) {
        if (errno == ENOENT || errno == ELOOP)
            return {};
        fail(path);
    }
    struct stat status {
    };
    if (::fstat(fd.get(), &status) < 0)
        fail(path);
    if (!S_ISREG(status.st_mode))
        return {};
    OutputReply::Part part{qint64(status.st_size), {}};
    part.bytes.resize(std::clamp<qint64>(*part.size - from, 0, atMost));
    const ssize_t count = ::pread(fd.get(), part.bytes.data(), static_cast<std::size_t>(part.bytes.size()), from);
    if (count < 0)
        fail(path);
    part.bytes.truncate(count);
    return part;
}

} // namespace

OutputReply readSpool(const SpoolFiles &files, const OutputRequest &request)
{
    OutputReply reply;
    if (request.outputFrom)
        reply.output = readFile(files.output, *request.outputFrom, request.atMost);
    if (request.errorFrom)
        reply.error = readFile(files.error, *request.errorFrom, request.atMost);
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
