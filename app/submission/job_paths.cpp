#include "app/submission/job_paths.h"

#include "app/cli/failure.h"
#include "jobs/model/output_path.h"

#include <QFile>
#include <QFileInfo>

#include <sys/stat.h>

namespace drover::app {

namespace {

// A FIFO or a socket has its content once, and the worker may be another machine.
bool isFileOrDevice(const QString &path)
{
    struct ::stat status {
    };
    return ::stat(QFile::encodeName(path).constData(), &status) == 0
        && (S_ISREG(status.st_mode) || S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode));
}

} // namespace

QString inputPath(const QString &path, const QString &what)
{
    if (path == u"-")
        throw UsageError(QStringLiteral("%1: standard input is not passed on to jobs; write it to a file and name that "
                                        "(./- is a file called -)")
                             .arg(what));
    const QFileInfo file(path);
    if (!file.isReadable())
        throw UsageError(QStringLiteral("%1: cannot read %2").arg(what, path));
    if (!isFileOrDevice(path))
        throw UsageError(QStringLiteral("%1: %2 is neither a file nor a device").arg(what, path));
    return file.absoluteFilePath();
}

QString outputPath(const QString &path, const QString &what)
{
    if (path.endsWith(u'/'))
        throw UsageError(QStringLiteral("%1: %2 is a folder; name a file in it, %2%j.out for one").arg(what, path));
    const QString absolute = QFileInfo(path).absoluteFilePath();
    if (const QString objection = jobs::objectionTo(absolute); !objection.isEmpty())
        throw UsageError(what + QStringLiteral(": ") + objection);
    return absolute;
}

} // namespace drover::app
