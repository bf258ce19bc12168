#include "app/cli/standard_input.h"

#include "app/cli/failure.h"
#include "async/event.h"
#include "posix/file_descriptor.h"

#include <QFile>
#include <QSocketNotifier>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drover::app {

namespace {

CommandError unreadable(Exit code, const QString &what)
{
    return CommandError(code, QStringLiteral("cannot read %1: %2").arg(what, QString::fromLocal8Bit(strerror(errno))));
}

async::Task<QByteArray> readToEnd(int fd, qint64 limit, Exit code, QString what)
{
    async::Event readable;
    QSocketNotifier notifier(fd, QSocketNotifier::Read);
    QObject::connect(&notifier, &QSocketNotifier::activated, &notifier, [&readable] { readable.set(); });
    QByteArray all;
    QByteArray part(64 * 1024, Qt::Uninitialized);
    while (all.size() < limit) {
        readable.reset();
        co_await readable.wait();
        const ssize_t count = ::read(fd, part.data(), static_cast<std::size_t>(part.size()));
        if (count == 0)
            break;
        if (count > 0)
            all.append(part.constData(), count);
        else if (errno != EINTR && errno != EAGAIN)
            throw unreadable(code, what);
    }
    co_return all.first(std::min<qint64>(all.size(), limit));
}

} // namespace

async::Task<QByteArray> readStandardInput()
{
    const QString what = QStringLiteral("standard input");
    if (::fcntl(STDIN_FILENO, F_GETFD) < 0)
        throw unreadable(ExitError, what); // a notifier would wait for ever
    co_return co_await readToEnd(STDIN_FILENO, std::numeric_limits<qint64>::max(), ExitError, what);
}

async::Task<QByteArray> readFile(QString path, qint64 limit, QString what)
{
    const posix::FileDescriptor file(
        ::open(QFile::encodeName(path).constData(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file)
        throw unreadable(ExitUsage, what);
    co_return co_await readToEnd(file.get(), limit, ExitUsage, what);
}

bool hasUnreadInput()
{
    struct ::stat info {
    };
    if (::fstat(STDIN_FILENO, &info) != 0)
        return false;
    if (S_ISREG(info.st_mode))
        return ::lseek(STDIN_FILENO, 0, SEEK_CUR) < info.st_size;
    int count = 0;
    return S_ISFIFO(info.st_mode) && ::ioctl(STDIN_FILENO, FIONREAD, &count) == 0 && count > 0;
}

} // namespace drover::app
