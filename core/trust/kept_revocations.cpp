#include "trust/kept_revocations.h"

#include "posix/file_descriptor.h"
#include "trust/private_file.h"
#include "trust/revocations.h"

#include <QFile>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace drover::trust {

namespace {

constexpr qint64 MaxKeptSize = 16 * 1024 * 1024;

// A line that another program has written is no list, and names no certificate.
std::optional<Revocations> listIn(const QByteArray &line)
{
    try {
        return Revocations::decode(SignedText::fromLine(line).text);
    } catch (const Untrusted &) {
        return std::nullopt;
    }
}

// Whether `later` says all that `earlier` says.
bool covers(const Revocations &later, const Revocations &earlier)
{
    return later.number >= earlier.number
        && std::includes(later.serials.begin(), later.serials.end(), earlier.serials.begin(), earlier.serials.end());
}

posix::FileDescriptor lock(const QString &path)
{
    const QByteArray name = QFile::encodeName(path + QStringLiteral(".lock"));
    posix::FileDescriptor file(::open(name.constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    int locked = -1;
    while (file && (locked = ::flock(file.get(), LOCK_EX)) != 0 && errno == EINTR) { }
    if (!file || locked != 0)
        throw BadCredentials(
            QStringLiteral("cannot lock %1: %2").arg(path, QString::fromLocal8Bit(std::strerror(errno))));
    return file;
}

} // namespace

KeptRevocations::KeptRevocations(QString path, QByteArray clusterId)
    : m_path(std::move(path)), m_clusterId(std::move(clusterId))
{
}

QByteArrayList KeptRevocations::allLines() const
{
    const posix::FileDescriptor opened(::open(QFile::encodeName(m_path).constData(), O_RDONLY | O_CLOEXEC));
    if (!opened && errno == ENOENT)
        return {};
    const auto require = [this](bool isMet, const char *why) {
        if (!isMet)
            throw BadCredentials(QStringLiteral("cannot read the kept revocation lists in %1: %2")
                                     .arg(m_path, QString::fromLocal8Bit(why)));
    };
    require(bool(opened), std::strerror(errno));
    QByteArray text;
    char buffer[4096];
    ssize_t got = 0;
    while ((got = ::read(opened.get(), buffer, sizeof buffer)) > 0) {
        text.append(buffer, got);
        require(text.size() <= MaxKeptSize, "too large");
    }
    require(got == 0, std::strerror(errno)); // a part of them would bring people back
    QByteArrayList lines = text.split('\n');
    lines.removeAll(QByteArray());
    return lines;
}

QByteArrayList KeptRevocations::read() const
{
    QByteArrayList own;
    const QByteArray begin = m_clusterId + ' ';
    for (const QByteArray &line : allLines()) {
        if (line.startsWith(begin))
            own.append(line.sliced(begin.size()));
    }
    return own;
}

void KeptRevocations::keep(const QByteArray &line) const
{
    const Revocations list = Revocations::decode(SignedText::fromLine(line).text);
    const posix::FileDescriptor locked = lock(m_path);
    const QByteArray begin = m_clusterId + ' ';
    QByteArrayList next;
    for (const QByteArray &there : allLines()) {
        const std::optional<Revocations> kept =
            there.startsWith(begin) ? listIn(there.sliced(begin.size())) : std::nullopt;
        const bool isSame = kept && kept->number == list.number && covers(*kept, list) && there == begin + line;
        if (isSame)
            return;
        if (!kept || !covers(list, *kept))
            next.append(there);
    }
    next.append(begin + line.trimmed());
    writePrivateFile(m_path, next.join('\n') + '\n');
}

} // namespace drover::trust
