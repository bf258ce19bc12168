#pragma once

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QSet>
#include <QString>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A command whose processes write into a file when they run, for tests of who runs when. The test program starts
// itself:
//
//     <test> tree FILE       four processes that stamp for ever: the command, a child, one that has left its process
//                            group and its parents, and one that has no environment either
//     <test> once FILE       one stamp
namespace drover::test {

struct Stamp {
    qint64 at; // CLOCK_BOOTTIME, ns
    qint64 pid;
};

inline qint64 bootNs()
{
    timespec now{};
    ::clock_gettime(CLOCK_BOOTTIME, &now);
    return qint64(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// Only system calls: the witness forks.

inline int writeStamp(const char *file)
{
    const int fd = ::open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const Stamp stamp{.at = bootNs(), .pid = ::getpid()};
    const bool written = ::write(fd, &stamp, sizeof stamp) == ssize_t(sizeof stamp);
    ::close(fd);
    return written ? 0 : 1;
}

inline int stampForever(const char *file)
{
    for (const int number : {SIGHUP, SIGINT, SIGTERM})
        ::signal(number, SIG_IGN);
    const qint64 end = bootNs() + 120'000'000'000; // a deadline, if the test does not end it
    while (writeStamp(file) == 0 && bootNs() < end)
        ::usleep(10'000);
    return 1;
}

inline int stampAsATree(char **arguments)
{
    const char *const file = arguments[2];
    if (::fork() == 0)
        ::_exit(stampForever(file));
    for (const bool bare : {false, true}) {
        const pid_t parent = ::fork();
        if (parent > 0) {
            ::waitpid(parent, nullptr, 0);
            continue;
        }
        ::setsid();
        if (::fork() > 0)
            ::_exit(0);
        char *const none[] = {nullptr};
        if (bare)
            ::execle("/proc/self/exe", arguments[0], "forever", file, nullptr, none);
        ::_exit(stampForever(file));
    }
    return stampForever(file);
}

constexpr int TreeSize = 4;

inline QList<Stamp> stampsIn(const QString &path)
{
    QFile file(path);
    const QByteArray bytes = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    QList<Stamp> stamps(bytes.size() / qsizetype(sizeof(Stamp)));
    if (!stamps.isEmpty())
        std::memcpy(stamps.data(), bytes.constData(), std::size_t(stamps.size()) * sizeof(Stamp));
    return stamps;
}

inline qsizetype writersOf(const QString &path)
{
    QSet<qint64> pids;
    for (const Stamp &stamp : stampsIn(path))
        pids.insert(stamp.pid);
    return pids.size();
}

inline qint64 lastStamp(const QString &path)
{
    qint64 last = 0;
    for (const Stamp &stamp : stampsIn(path))
        last = std::max(last, stamp.at);
    return last;
}

// How many processes are there that stamp into `path`. Stopped ones count, zombies do not.
inline int livingWritersOf(const QString &path)
{
    const QByteArray self = QCoreApplication::applicationFilePath().toLocal8Bit() + '\0';
    int living = 0;
    for (const QString &process : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        QFile file(QStringLiteral("/proc/%1/cmdline").arg(process));
        const QByteArray line = file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        living += line.startsWith(self) && line.endsWith('\0' + path.toLocal8Bit() + '\0');
    }
    return living;
}

// The exit code, if this process is to be a witness.
inline std::optional<int> actAsWitness(int count, char **arguments)
{
    if (count != 3)
        return std::nullopt;
    const std::string_view mode = arguments[1];
    if (mode == "tree")
        return stampAsATree(arguments);
    if (mode == "forever")
        return stampForever(arguments[2]);
    if (mode == "once")
        return writeStamp(arguments[2]);
    return std::nullopt;
}

} // namespace drover::test
