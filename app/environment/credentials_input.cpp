#include "app/environment/credentials_input.h"

#include "posix/file_descriptor.h"
#include "posix/process.h"
#include "trust/errors.h"

#include <QString>

#include <cerrno>
#include <cstring>
#include <optional>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drover::app {

namespace {

constexpr qsizetype Most = 1024 * 1024;

QByteArray readAll()
{
    QByteArray all;
    QByteArray part(64 * 1024, Qt::Uninitialized);
    while (all.size() <= Most) {
        const ssize_t count = ::read(STDIN_FILENO, part.data(), static_cast<std::size_t>(part.size()));
        if (count == 0)
            return all;
        if (count > 0)
            all.append(part.constData(), count);
        else if (errno != EINTR)
            throw trust::BadCredentials(
                QStringLiteral("it cannot be read: %1").arg(QString::fromLocal8Bit(std::strerror(errno))));
    }
    throw trust::BadCredentials(QStringLiteral("it has more than a megabyte"));
}

// A file has to be as private as one that is named by its path. A pipe is its writer's matter.
void requirePrivate()
{
    struct ::stat input {
    };
    if (::fstat(STDIN_FILENO, &input) == 0 && S_ISREG(input.st_mode) && (input.st_mode & 077) != 0)
        throw trust::BadCredentials(QStringLiteral("other users may read it; take that right away: chmod 600"));
}

// Who has the descriptor of a file could read that from its beginning again.
void closeInput()
{
    const posix::FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!nothing || ::dup2(nothing.get(), STDIN_FILENO) < 0)
        throw trust::BadCredentials(
            QStringLiteral("it cannot be closed: %1").arg(QString::fromLocal8Bit(std::strerror(errno))));
}

} // namespace

QByteArray credentialsFromInput()
{
    static std::optional<QByteArray> text;
    if (text)
        return *text;
    posix::hideFromOthers();
    if (::isatty(STDIN_FILENO) != 0)
        throw trust::BadCredentials(QStringLiteral("it is a terminal"));
    requirePrivate();
    const QByteArray all = readAll();
    closeInput();
    text = all;
    return *text;
}

} // namespace drover::app
