#include "app/scratch/process_usage.h"

#include <QFile>

#include <unistd.h>

namespace drover::app {

namespace {

QByteArray contents(qint64 pid, const char *file)
{
    QFile reader(QStringLiteral("/proc/%1/%2").arg(pid).arg(QLatin1String(file)));
    return reader.open(QIODevice::ReadOnly) ? reader.readAll() : QByteArray();
}

} // namespace

qint64 residentBytes(qint64 pid)
{
    const QByteArrayList lines = contents(pid, "status").split('\n');
    for (const QByteArray &line : lines) {
        if (line.startsWith("VmRSS:"))
            return line.mid(6).trimmed().split(' ').first().toLongLong() * 1024; // "VmRSS:  12345 kB"
    }
    return 0;
}

double cpuSeconds(qint64 pid)
{
    const QByteArray stat = contents(pid, "stat");
    const QByteArrayList fields =
        stat.mid(stat.lastIndexOf(')') + 2).split(' '); // after the name, which may be anything
    return (fields.value(11).toDouble() + fields.value(12).toDouble()) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

} // namespace drover::app
