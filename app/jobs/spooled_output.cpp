#include "app/jobs/spooled_output.h"

#include "app/cli/failure.h"
#include "app/jobs/output_locator.h"
#include "output/local_output.h"
#include "text/quantity.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>

namespace drover::app {

namespace {

// "default-5.2.out" and "default-5.2.err" are of attempt 2 of default-5; 0: the file is another job's, or a segment.
int attemptOf(const QFileInfo &file, const jobs::JobId &id)
{
    const QString rest = file.fileName().mid(id.toString().size() + 1);
    const std::optional<int> number = jobs::parseNumber(rest.section(u'.', 0, 0));
    return number && rest.count(u'.') == 1 ? *number : 0;
}

} // namespace

std::optional<SpooledAttempt> newestAttemptIn(const QString &spool, const jobs::JobId &id)
{
    const QFileInfo folder(spool);
    if (!folder.exists())
        return std::nullopt;
    if (!folder.isDir() || !folder.isReadable() || !folder.isExecutable())
        throw CommandError(ExitError,
                           QStringLiteral("cannot read the spool %1; its owner is %2").arg(spool, folder.owner()));
    const QStringList names{id.toString() + u".*.out"_qs, id.toString() + u".*.err"_qs};
    std::optional<SpooledAttempt> newest;
    for (const QFileInfo &file : QDir(spool).entryInfoList(names, QDir::Files, QDir::Time | QDir::Reversed)) {
        const int number = attemptOf(file, id);
        if (number > 0 && (!newest || number >= newest->number))
            newest = SpooledAttempt{number, file.filePath()};
    }
    return newest;
}

async::Task<void> copySpooled(Context &context, jobs::JobId id, output::Streams streams, JobStreams::Shown shown,
                              QString spool)
{
    const std::optional<SpooledAttempt> newest = newestAttemptIn(spool, id);
    if (!newest)
        throw CommandError(ExitNotFound,
                           QStringLiteral("%1 has no output of %2; drover worker ls -o json names the spool of each "
                                          "worker")
                               .arg(spool, id.toString()));
    const auto age = QFileInfo(newest->file).lastModified().msecsTo(QDateTime::currentDateTime());
    Output::message(
        QStringLiteral("%1 was written %2 ago; without ZooKeeper it is not known whether %3 has run again "
                       "since")
            .arg(newest->file, text::formatDuration(std::chrono::milliseconds(std::max(0ll, age))), id.toString()));
    output::LocalOutput source(context.loop(), spool);
    JobStreams places(context.out(), shown);
    output::AttemptReader reader(id, newest->number, streams,
                                 [&places](const QByteArray &out, const QByteArray &err) { places.write(out, err); });
    co_await reader.readPresent(context.loop(), source);
}

async::Task<void> copySpooledWithoutCluster(Context &context, jobs::JobId id, output::Streams streams,
                                            JobStreams::Shown shown, std::exception_ptr trouble)
{
    const QString spool = defaultSpool(context.settings().cluster);
    const Failure failure = explain(trouble);
    if (!newestAttemptIn(spool, id))
        throw CommandError(failure.code,
                           QStringLiteral("%1; without ZooKeeper it is not known which worker ran %2, and %3 has no "
                                          "output of it: on the worker's machine, drover logs --spool DIR %2 reads its "
                                          "--spool")
                               .arg(failure.message, id.toString(), spool));
    Output::message(failure.message);
    co_await copySpooled(context, id, streams, shown, spool);
}

} // namespace drover::app
