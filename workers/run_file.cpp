#include "workers/run_file.h"

#include <QDir>
#include <QFile>
#include <QSysInfo>
#include <QUuid>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace drover::workers {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto Patience = 5s;
constexpr qsizetype IdSize = 32; // of a uuid in hexadecimal digits
const QByteArray Variable = QByteArrayLiteral("DROVER_RUN=");

QByteArray hostPrefix()
{
    return QSysInfo::machineHostName().toUtf8().replace('/', '_') + '-';
}

// Another one after each start of the machine.
QByteArray bootPrefix()
{
    constexpr int Enough = 8;
    return hostPrefix() + QSysInfo::bootUniqueId().left(Enough) + '-';
}

std::vector<protocol::KeptResult> resultsIn(int fd)
{
    std::vector<protocol::KeptResult> results;
    std::string slot(protocol::slotSize, '\0');
    ssize_t got = 0;
    for (off_t at = 0; (got = ::pread(fd, slot.data(), slot.size(), at)) > 0; at += off_t(protocol::slotSize)) {
        if (std::optional<protocol::KeptResult> result = protocol::fromSlot({slot.data(), std::size_t(got)}))
            results.push_back(std::move(*result));
    }
    return results;
}

[[noreturn]] void fail(const QString &path, int error)
{
    throw std::runtime_error(QStringLiteral("cannot make '%1': %2")
                                 .arg(path, QString::fromStdString(std::generic_category().message(error)))
                                 .toStdString());
}

enum class Lock { Ours, Taken, Impossible }; // then errno says why

// A file that has no name any more has been somebody's.
Lock lock(int fd)
{
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK || errno == EINTR ? Lock::Taken : Lock::Impossible;
    struct stat info {
    };
    if (::fstat(fd, &info) != 0)
        return Lock::Impossible;
    return info.st_nlink > 0 ? Lock::Ours : Lock::Taken;
}

int opened(const QString &path, int flags)
{
    return ::open(QFile::encodeName(path).constData(), flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
}

// One of the variables, or one that begins so.
bool carries(const QByteArray &environment, const QByteArrayList &marks)
{
    return std::any_of(marks.begin(), marks.end(), [&](const QByteArray &mark) {
        return environment.startsWith(mark) || environment.contains('\0' + mark);
    });
}

// False if it may not be killed, having become another user's: nobody waits for it.
bool isKilled(int process, Clock::time_point until)
{
    if (::syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0) != 0 && errno == EPERM)
        return false;
    const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    pollfd end{.fd = process, .events = POLLIN, .revents = 0};
    ::poll(&end, 1, std::max(0, int(rest.count())));
    return true;
}

// The process is held by its descriptor before it is looked at: its number may be another's by then.
bool killIfMarked(int pid, const QByteArrayList &marks, Clock::time_point until)
{
    const int process = int(::syscall(SYS_pidfd_open, pid, 0));
    if (process < 0)
        return false;
    QFile environment(QStringLiteral("/proc/%1/environ").arg(pid));
    const bool marked = environment.open(QIODevice::ReadOnly) && carries(environment.readAll(), marks);
    const bool killed = marked && isKilled(process, until);
    ::close(process);
    return killed;
}

int killOnce(const QByteArrayList &marks, Clock::time_point until)
{
    int killed = 0;
    for (const QString &name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        bool isNumber = false;
        const int pid = name.toInt(&isNumber);
        if (isNumber && pid != ::getpid())
            killed += killIfMarked(pid, marks, until);
    }
    return killed;
}

struct Killed {
    int count = 0;
    bool all = false;
};

// Two looks in a row find nothing: the first may have missed what was forked meanwhile, or was in its exec.
Killed killCarriers(const QByteArrayList &marks)
{
    const auto until = Clock::now() + Patience;
    Killed killed;
    int clean = 0;
    while (clean < 2 && Clock::now() < until) {
        const int found = killOnce(marks, until);
        killed.count += found;
        clean = found == 0 ? clean + 1 : 0;
    }
    killed.all = clean == 2;
    return killed;
}

} // namespace

RunFile::RunFile() : m_name(bootPrefix() + QUuid::createUuid().toByteArray(QUuid::Id128)) { }

RunFile::RunFile(const QString &folder) : RunFile()
{
    if (!QDir().mkpath(folder))
        fail(folder, errno);
    m_path = folder + u'/' + QString::fromUtf8(m_name);
    Lock locked = Lock::Taken;
    while (locked == Lock::Taken) { // somebody's takeOver() may have it before it is locked
        if (m_fd >= 0)
            ::close(m_fd);
        m_fd = opened(m_path, O_CREAT);
        locked = m_fd < 0 ? Lock::Impossible : lock(m_fd);
    }
    if (locked == Lock::Impossible)
        fail(m_path, errno);
}

RunFile::~RunFile()
{
    if (m_fd < 0)
        return;
    if (!m_kept)
        QFile::remove(m_path);
    ::close(m_fd);
}

QByteArray RunFile::mark(quint64 run) const
{
    return Variable + m_name + '.' + QByteArray::number(run);
}

void RunFile::killMarked(QByteArrayList marks)
{
    for (QByteArray &mark : marks)
        mark += '\0';
    killCarriers(marks);
}

RunFile::Estate RunFile::takeOver(const QString &folder)
{
    Estate estate;
    const QString ofThisStart = QString::fromUtf8(bootPrefix());
    for (const QString &name : QDir(folder).entryList({QString::fromUtf8(hostPrefix()) + u'*'}, QDir::Files)) {
        const QString path = folder + u'/' + name;
        const int fd = name.size() == ofThisStart.size() + IdSize ? opened(path, 0) : -1; // or another host's
        if (fd < 0 || lock(fd) != Lock::Ours) {
            ::close(fd);
            continue;
        }
        const Killed killed = killCarriers({Variable + name.toUtf8() + '.'});
        estate.killed += killed.count;
        std::vector<protocol::KeptResult> results;
        if (name.startsWith(ofThisStart))
            results = resultsIn(fd);
        if (killed.all && results.empty())
            QFile::remove(path);
        if (results.empty())
            ::close(fd);
        else
            estate.locks.push_back(fd);
        for (protocol::KeptResult &result : results)
            estate.results.emplace_back(path, std::move(result));
    }
    return estate;
}

std::vector<protocol::KeptResult> RunFile::allResults(const QString &folder)
{
    std::vector<protocol::KeptResult> all;
    for (const QString &name : QDir(folder).entryList(QDir::Files)) {
        const int fd = opened(folder + u'/' + name, 0);
        if (fd < 0)
            continue;
        for (protocol::KeptResult &result : resultsIn(fd))
            all.push_back(std::move(result));
        ::close(fd);
    }
    return all;
}

void RunFile::bury(const QString &path)
{
    QFile::remove(path);
}

} // namespace drover::workers
