#include "workers/process/worker_state_file.h"

#include "posix/held_process.h"

#include <QDateTime>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSysInfo>
#include <QUuid>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
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
QByteArray bootPart()
{
    constexpr int Enough = 8;
    return QSysInfo::bootUniqueId().left(Enough) + '-';
}

// A host may be given another name while it runs. So a file of this start of the machine is known by that alone.
struct Origin {
    explicit Origin(const QString &name)
    {
        const QString host = QString::fromUtf8(hostPrefix());
        const QString boot = QString::fromUtf8(bootPart());
        const QString named = name.chopped(std::min<qsizetype>(name.size(), IdSize));
        hasOurName = name.startsWith(host) && named.size() == host.size() + boot.size();
        isOfThisStart = named.endsWith(u'-' + boot);
    }

    bool hasOurName;
    bool isOfThisStart;
};

// Of a machine that has not come back: its jobs have run elsewhere for long.
bool isForgotten(const QString &path)
{
    constexpr qint64 Days = 30;
    return QFileInfo(path).lastModified().daysTo(QDateTime::currentDateTime()) > Days;
}

std::vector<protocol::KeptResult> resultsIn(int fd)
{
    std::vector<protocol::KeptResult> results;
    std::string slot(protocol::resultSize, '\0');
    ssize_t got = 0;
    for (off_t at = 0; (got = ::pread(fd, slot.data(), slot.size(), at)) > 0; at += off_t(protocol::resultSize)) {
        if (std::optional<protocol::KeptResult> result = protocol::decodeResult({slot.data(), std::size_t(got)}))
            results.push_back(std::move(*result));
    }
    return results;
}

[[noreturn]] void failToOpen(const QString &path, int error)
{
    throw std::runtime_error(QStringLiteral("cannot make '%1': %2")
                                 .arg(path, QString::fromStdString(std::generic_category().message(error)))
                                 .toStdString());
}

enum class FileLock { Ours, Taken, Impossible }; // then errno says why

// A file without a name has been taken over and removed.
FileLock lock(int fd)
{
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0)
        return errno == EWOULDBLOCK || errno == EINTR ? FileLock::Taken : FileLock::Impossible;
    struct stat info {
    };
    if (::fstat(fd, &info) != 0)
        return FileLock::Impossible;
    return info.st_nlink > 0 ? FileLock::Ours : FileLock::Taken;
}

int opened(const QString &path, int flags)
{
    return ::open(QFile::encodeName(path).constData(), flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
}

// One of the variables, or one that begins so.
bool carries(const QByteArray &environment, const QByteArrayList &tags)
{
    return std::any_of(tags.begin(), tags.end(), [&](const QByteArray &tag) {
        return environment.startsWith(tag) || environment.contains('\0' + tag);
    });
}

// False if it may not be killed, because it has become another user's. It is not waited for.
bool isKilled(const posix::HeldProcess &process, Clock::time_point until)
{
    if (!process.signal(SIGKILL) && errno == EPERM)
        return false;
    const auto rest = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    process.hasEnded(std::max(0ms, rest));
    return true;
}

// The process is held by its descriptor before it is looked at: its number may be another's by then.
bool killIfTagged(int pid, const QByteArrayList &tags, Clock::time_point until)
{
    const posix::HeldProcess process(pid);
    if (!process)
        return false;
    QFile environment(QStringLiteral("/proc/%1/environ").arg(pid));
    const bool tagged = environment.open(QIODevice::ReadOnly) && carries(environment.readAll(), tags);
    return tagged && isKilled(process, until);
}

int killOnce(const QByteArrayList &tags, Clock::time_point until)
{
    int killed = 0;
    for (const QString &name : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        bool isNumber = false;
        const int pid = name.toInt(&isNumber);
        if (isNumber && pid != ::getpid())
            killed += killIfTagged(pid, tags, until);
    }
    return killed;
}

struct Killed {
    int count = 0;
    bool all = false;
};

// Two looks in a row find nothing: the first may have missed what was forked meanwhile, or was in its exec.
Killed killCarriers(const QByteArrayList &tags)
{
    const auto until = Clock::now() + Patience;
    Killed killed;
    int clean = 0;
    while (clean < 2 && Clock::now() < until) {
        const int found = killOnce(tags, until);
        killed.count += found;
        clean = found == 0 ? clean + 1 : 0;
    }
    killed.all = clean == 2;
    return killed;
}

} // namespace

WorkerStateFile::WorkerStateFile() : m_name(hostPrefix() + bootPart() + QUuid::createUuid().toByteArray(QUuid::Id128))
{
}

WorkerStateFile::WorkerStateFile(const QString &folder) : WorkerStateFile()
{
    if (!QDir().mkpath(QFileInfo(folder).path())
        || (::mkdir(QFile::encodeName(folder).constData(), 0700) != 0 && errno != EEXIST))
        failToOpen(folder, errno);
    m_path = folder + u'/' + QString::fromUtf8(m_name);
    FileLock locked = FileLock::Taken;
    while (locked == FileLock::Taken) { // another takeOver() may have it before it is locked
        if (m_fd >= 0)
            ::close(m_fd);
        m_fd = opened(m_path, O_CREAT);
        locked = m_fd < 0 ? FileLock::Impossible : lock(m_fd);
    }
    if (locked == FileLock::Impossible)
        failToOpen(m_path, errno);
}

WorkerStateFile::~WorkerStateFile()
{
    if (m_fd < 0)
        return;
    if (!m_kept)
        QFile::remove(m_path);
    ::close(m_fd);
}

QByteArray WorkerStateFile::tag(quint64 run) const
{
    return Variable + m_name + '.' + QByteArray::number(run);
}

void WorkerStateFile::killTagged(QByteArrayList tags)
{
    for (QByteArray &tag : tags)
        tag += '\0';
    killCarriers(tags);
}

WorkerStateFile::Leftovers WorkerStateFile::takeOver(const QString &folder)
{
    Leftovers leftovers;
    for (const QString &name : QDir(folder).entryList(QDir::Files)) {
        const QString path = folder + u'/' + name;
        const Origin origin(name);
        const bool forgotten = isForgotten(path);
        const int fd = origin.hasOurName || origin.isOfThisStart || forgotten ? opened(path, 0) : -1;
        if (fd < 0 || lock(fd) != FileLock::Ours) {
            ::close(fd);
            continue;
        }
        const Killed killed = killCarriers({Variable + name.toUtf8() + '.'});
        leftovers.killed += killed.count;
        std::vector<protocol::KeptResult> results;
        if (origin.isOfThisStart)
            results = resultsIn(fd);
        if (killed.all && results.empty() && (origin.hasOurName || forgotten)) // or a container's, with its own pids
            QFile::remove(path);
        if (results.empty())
            ::close(fd);
        else
            leftovers.locks.push_back(fd);
        for (protocol::KeptResult &result : results)
            leftovers.results.emplace_back(path, std::move(result));
    }
    return leftovers;
}

std::vector<protocol::KeptResult> WorkerStateFile::allResults(const QString &folder)
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

void WorkerStateFile::remove(const QString &path)
{
    QFile::remove(path);
}

} // namespace drover::workers
