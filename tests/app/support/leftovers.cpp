#include "leftovers.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <csignal>

#include <unistd.h>

namespace drover::test {

namespace {

QByteArray read(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool names(const QString &process, const QByteArray &directory)
{
    QByteArray link(4096, '\0');
    const QByteArray cwd = QFile::encodeName(process + QStringLiteral("/cwd"));
    link.resize(std::max<qsizetype>(0, ::readlink(cwd.constData(), link.data(), std::size_t(link.size()))));
    return link.startsWith(directory) || read(process + QStringLiteral("/cmdline")).contains(directory)
        || read(process + QStringLiteral("/environ")).contains(directory);
}

} // namespace

// Its state is the first letter behind the name, which is in brackets.
bool isRunning(qint64 pid)
{
    const QByteArray stat = read(QStringLiteral("/proc/%1/stat").arg(pid));
    const QByteArray state = stat.mid(stat.lastIndexOf(')') + 2, 1);
    return !state.isEmpty() && state != "Z" && state != "X";
}

QList<Leftover> processesIn(const QString &directory)
{
    QList<Leftover> found;
    for (const QString &entry : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        const qint64 pid = entry.toLongLong();
        const QString process = QStringLiteral("/proc/") + entry;
        if (pid <= 0 || pid == ::getpid() || !names(process, QFile::encodeName(directory)) || !isRunning(pid))
            continue;
        const QByteArray command = read(process + QStringLiteral("/cmdline")).replace('\0', ' ').trimmed();
        found.append({pid, QString::fromLocal8Bit(command)});
    }
    return found;
}

QList<Leftover> endProcessesIn(const QString &directory, std::chrono::milliseconds patience)
{
    QList<Leftover> left;
    const auto none = [&] {
        left = processesIn(directory);
        return left.isEmpty();
    };
    if (!QTest::qWaitFor(none, int(patience.count()))) {
        for (const Leftover &process : left)
            ::kill(static_cast<pid_t>(process.pid), SIGKILL);
    }
    return left;
}

} // namespace drover::test
