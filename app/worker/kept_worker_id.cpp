#include "app/worker/kept_worker_id.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QSysInfo>

#include <fcntl.h>
#include <sys/file.h>

namespace drover::app {

namespace {

constexpr int MostTries = 100; // numbers of others, one after the other

// "<host>-<number>", of what a name may consist of.
QString idOf(qint64 number)
{
    const QString suffix = u'-' + QString::number(number);
    QString host;
    for (const QChar c : QSysInfo::machineHostName().section(u'.', 0, 0).toLower()) {
        const bool allowed = (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9') || c == u'-';
        host += allowed ? c : QChar(u'-');
    }
    while (host.startsWith(u'-'))
        host.remove(0, 1);
    return (host.isEmpty() ? QStringLiteral("worker") : host.left(32 - suffix.size())) + suffix;
}

// A spool may have come here with a copy of another machine, or be shared with it.
bool isOfThisHost(const QString &id)
{
    bool isNumber = false;
    const qint64 number = id.section(u'-', -1).toLongLong(&isNumber);
    return isNumber && id == idOf(number);
}

} // namespace

KeptWorkerId::KeptWorkerId(const QString &spool)
{
    const QString folder = spool + QStringLiteral("/ids");
    QDir(folder).mkpath(QStringLiteral("."));
    for (const QString &kept : QDir(folder).entryList(QDir::Files, QDir::Name)) {
        if (isOfThisHost(kept) && take(folder, kept))
            return;
    }
    const qint64 first = QCoreApplication::applicationPid();
    for (qint64 number = first; number < first + MostTries; ++number) {
        if (take(folder, idOf(number)))
            return;
    }
    m_id = idOf(first);
}

bool KeptWorkerId::take(const QString &folder, const QString &id)
{
    const QByteArray file = QFile::encodeName(folder + u'/' + id);
    posix::FileDescriptor lock(::open(file.constData(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
        return false;
    m_id = id;
    m_lock = std::move(lock);
    return true;
}

} // namespace drover::app
