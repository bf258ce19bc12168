#include "app/participant/record_file.h"

#include "posix/file_descriptor.h"

#include <QFile>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace drover::app {

namespace {

void check(bool good, const char *what)
{
    if (!good)
        throw std::system_error(errno, std::generic_category(), what);
}

// Of all lines; 0 without any.
qint64 highestToken(const QString &name)
{
    QFile file(name);
    if (!file.open(QIODevice::ReadOnly))
        return 0;
    qint64 highest = 0;
    while (!file.atEnd())
        highest = std::max(highest, file.readLine().split(' ').first().toLongLong());
    return highest;
}

} // namespace

bool RecordFile::append(qint64 token, const QByteArray &name, int record, int part) const
{
    const posix::FileDescriptor file(
        ::open(QFile::encodeName(m_file).constData(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600));
    check(bool(file), "cannot open the shared file");
    check(::flock(file.get(), LOCK_EX) == 0, "cannot lock the shared file"); // until it is closed
    if (m_isFenced && token < highestToken(m_file))
        return false;
    const QByteArray line = QByteArray::number(token) + ' ' + name + ' ' + QByteArray::number(record) + ' '
        + QByteArray::number(part) + '\n';
    check(::write(file.get(), line.constData(), std::size_t(line.size())) == line.size(),
          "cannot write to the shared file");
    return true;
}

} // namespace drover::app
