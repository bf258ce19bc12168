#include "workers/run_file.h"

#include <QDir>
#include <QFile>
#include <QSysInfo>
#include <QUuid>

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

// A file that has no name any more is nobody's.
bool lock(int fd)
{
    struct stat info {
    };
    return fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0 && ::fstat(fd, &info) == 0 && info.st_nlink > 0;
}

int opened(const QString &path, int flags)
{
    return ::open(QFile::encodeName(path).constData(), flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
}

bool carries(const QByteArray &environment, const QByteArray &beginning)
{
    return environment.startsWith(beginning) || environment.contains('\0' + beginning);
}

// The process is held by its descriptor before it is looked at: its number may be another's by then.
bool killIfMarked(int pid, const QByteArray &beginning, Clock::time_point until)
{
    const int process = int(::syscall(SYS_pidfd_open, pid, 0));
    if (process < 0)
        return false;
    QFile environment(QStringLiteral("/proc/%1/environ").arg(pid));
    const bool marked = environment.open(QIODevice::ReadOnly) && carries(environment.readAll(), beginning);
    if (marked) {
        ::syscall(SYS_pidfd_send_signal, process, SIGKILL, nullptr, 0);
        const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
        pollfd end{.fd = process, .events = POLLIN, .revents = 0};
        ::poll(&end, 1, std::max(0, int(rest.count())));
    }
    ::close(process);
    return marked;
}

int killOnce(const QByteArray &beginning, Clock::time_point until)
{
    int killed = 0;
    for (const QString &name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        bool isNumber = false;
        const int pid = name.toInt(&isNumber);
        if (isNumber && pid != ::getpid())
            killed += killIfMarked(pid, beginning, until);
    }
    return killed;
}

} // namespace

RunFile::RunFile() : m_name(bootPrefix() + QUuid::createUuid().toByteArray(QUuid::Id128)) { }

RunFile::RunFile(const QString &folder) : RunFile()
{
    if (!QDir().mkpath(folder))
        fail(folder, errno);
    m_path = folder + u'/' + QString::fromUtf8(m_name);
    do { // somebody's killLeftovers() may take it before it is locked
        if (m_fd >= 0)
            ::close(m_fd);
        m_fd = opened(m_path, O_CREAT);
        if (m_fd < 0)
            fail(m_path, errno);
    } while (!lock(m_fd));
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

RunFile::Estate RunFile::takeOver(const QString &folder)
{
    Estate estate;
    const QString ofThisStart = QString::fromUtf8(bootPrefix());
    for (const QString &name : QDir(folder).entryList({QString::fromUtf8(hostPrefix()) + u'*'}, QDir::Files)) {
        const QString path = folder + u'/' + name;
        const int fd = opened(path, 0);
        if (!lock(fd)) {
            ::close(fd);
            continue;
        }
        const auto until = Clock::now() + Patience;
        int clean = 0; // looks in a row: what was forked meanwhile, or showed no environment in its exec
        while (clean < 2 && Clock::now() < until) {
            const int found = killOnce(Variable + name.toUtf8() + '.', until);
            estate.killed += found;
            clean = found == 0 ? clean + 1 : 0;
        }
        std::vector<protocol::KeptResult> results;
        if (name.startsWith(ofThisStart))
            results = resultsIn(fd);
        if (clean == 2 && results.empty())
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

void RunFile::bury(const QString &path)
{
    QFile::remove(path);
}

} // namespace drover::workers
