#include "app/worker/worker_log.h"

#include "app/cli/output.h"
#include "posix/file_descriptor.h"

#include <QFile>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>

namespace drover::app {

namespace {

bool isSameFile(const struct ::stat &one, const struct ::stat &other)
{
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

QByteArray nameOfStandardError()
{
    char target[PATH_MAX];
    const ssize_t size = ::readlink("/proc/self/fd/2", target, sizeof target);
    return QByteArray(target, std::max<ssize_t>(size, 0));
}

bool isNamed(const QByteArray &name, const struct ::stat &log)
{
    struct ::stat named {
    };
    return ::stat(name.constData(), &named) == 0 && isSameFile(log, named);
}

// False: errno says why. The new file is there before the old one loses its name.
bool beginLogAnew(const QByteArray &name, const struct ::stat &old)
{
    const QByteArray next = name + ".new";
    ::unlink(next.constData());
    const posix::FileDescriptor file(
        ::open(next.constData(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR));
    const bool isMoved = file && ::fchmod(file.get(), old.st_mode & ALLPERMS) == 0
        && std::rename(name.constData(), (name + ".1").constData()) == 0;
    if (!isMoved || std::rename(next.constData(), name.constData()) != 0) {
        const int why = errno;
        if (isMoved)
            std::rename((name + ".1").constData(), name.constData());
        ::unlink(next.constData());
        errno = why;
        return false;
    }
    struct ::stat output {
    };
    const bool goesAlong = ::fstat(STDOUT_FILENO, &output) == 0 && isSameFile(old, output);
    return ::dup2(file.get(), STDERR_FILENO) >= 0 && (!goesAlong || ::dup2(file.get(), STDOUT_FILENO) >= 0);
}

} // namespace

WorkerLog::WorkerLog(async::Loop &loop, qint64 limit, async::Duration pause)
    : m_loop(loop), m_limit(limit), m_pause(pause)
{
    struct ::stat log {
    };
    if (m_limit == 0 || ::fstat(STDERR_FILENO, &log) != 0 || !S_ISREG(log.st_mode))
        return;
    m_name = nameOfStandardError();
    lookLater();
}

void WorkerLog::lookLater()
{
    m_timer = m_loop.after(m_pause, [this] { look(); });
}

void WorkerLog::look()
{
    struct ::stat log {
    };
    const bool isFull = ::fstat(STDERR_FILENO, &log) == 0 && log.st_size >= m_limit;
    if (isFull && isNamed(m_name, log)) {
        const bool begins = beginLogAnew(m_name, log);
        const std::string why = std::generic_category().message(errno);
        if (!begins && !m_fails)
            Output::message(
                QStringLiteral("%1 has %2 bytes, and cannot be begun anew now: %3; it grows on")
                    .arg(QFile::decodeName(m_name), QString::number(log.st_size), QString::fromStdString(why)));
        m_fails = !begins;
    }
    lookLater();
}

} // namespace drover::app
