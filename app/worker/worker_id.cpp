#include "app/worker/worker_id.h"

#include "app/cli/output.h"

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

TakenId::TakenId(async::Loop &loop, QString id, QString spool, std::chrono::milliseconds sessionTimeout)
    : m_loop(loop), m_id(std::move(id)), m_spool(std::move(spool)), m_sessionTimeout(sessionTimeout)
{
}

void TakenId::byLastSession() const
{
    Output::message(QStringLiteral("worker %1: waiting for the end of its last session").arg(m_id));
}

void TakenId::by(const jobs::WorkerInfo &other)
{
    if (!m_spool.isEmpty() && other.host == QSysInfo::machineHostName()) {
        byLastSession();
        tellOfCopyLater(other.pid);
        return;
    }
    Output::message(QStringLiteral("worker %1: id %1 is taken by %2 pid %3, waiting; choose another with --id")
                        .arg(m_id, other.host, QString::number(other.pid)));
}

// The last session of this worker ends within its time-out. That of a copy of this machine, with the same spool and the
// same name, does not.
void TakenId::tellOfCopyLater(qint64 pid)
{
    m_timer = m_loop.after(2 * m_sessionTimeout, [this, pid] {
        Output::message(QStringLiteral("worker %1: process %2 still has the id %1: if this machine is a copy of "
                                       "another, give it another name by --id, or remove %3/ids and start again")
                            .arg(m_id, QString::number(pid), m_spool));
    });
}

} // namespace drover::app
