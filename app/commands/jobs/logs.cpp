#include "app/cli/failure.h"
#include "app/cli/output.h"
#include "app/commands/commands.h"
#include "app/commands/jobs/waiting_notice.h"
#include "app/environment/context.h"
#include "app/jobs/archived_jobs.h"
#include "app/jobs/job_json.h"
#include "app/jobs/job_output.h"
#include "app/jobs/outcome_text.h"
#include "app/jobs/output_locator.h"
#include "output/attempt_reader.h"
#include "output/local_output.h"
#include "text/quantity.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>

namespace drover::app {

namespace {

constexpr qint64 MaxTail = 1'000'000'000; // lines
constexpr qint64 MaxAttempt = 1'000'000;

// One that was moved to another queue writes there.
async::Task<jobs::JobView> lookUpWhereItIs(Context &context, jobs::Cluster cluster, jobs::JobId id)
{
    jobs::JobView job = co_await lookUpAnywhere(context, cluster, id);
    while (job.record && job.record->movedTo) {
        Output::hint(QStringLiteral("job %1 %2").arg(job.id.toString(), job.record->reason));
        jobs::JobView moved = co_await lookUpAnywhere(context, cluster, *job.record->movedTo);
        job = std::move(moved);
    }
    co_return job;
}

// What the output itself does not say of an end. Throws WrongState for a job that ended before it had begun; only the
// master writes the record of an array, so that has no worker either.
void tellOfEnd(const jobs::FinalRecord &record, bool isArray)
{
    QString became = outcomeText(record);
    if (!isArray && !became.isEmpty() && record.worker.isEmpty() && record.attempts.claimVersion == 0)
        throw jobs::WrongState(QStringLiteral("job %1 %2 before it had begun, so it has no output%3")
                                   .arg(record.id.toString(), became.section(u':', 0, 0),
                                        record.reason.isEmpty() ? QString() : QStringLiteral(": ") + record.reason));
    if (became.isEmpty() && record.state() == jobs::JobState::Failed && record.outputBytes == 0)
        became = QStringLiteral("has ended with exit code %1, and wrote nothing").arg(record.code);
    if (!became.isEmpty())
        Output::message(QStringLiteral("job %1 %2").arg(record.id.toString(), became));
}

// The newest attempt of a job that has files in a spool.
struct SpooledAttempt {
    int number; // the one in the file names: the version of the claim
    QString file; // the attempt's file that was written last
};

// "default-5.2.out" and "default-5.2.err" are of attempt 2 of default-5; 0: the file is another job's, or a segment.
int attemptOf(const QFileInfo &file, const jobs::JobId &id)
{
    const QString rest = file.fileName().mid(id.toString().size() + 1);
    const std::optional<int> number = jobs::parseNumber(rest.section(u'.', 0, 0));
    return number && rest.count(u'.') == 1 ? *number : 0;
}

// Nothing: the spool has no file of the job. Throws CommandError if the spool cannot be listed.
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

// Copies the output of the newest attempt of a job from a spool of this machine. It asks no ZooKeeper, so it does not
// know whether a later attempt has run elsewhere. A line on standard error says which file was read. Throws
// CommandError if the spool has no output of the job.
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

// Copies the output from the default spool, after `trouble` kept the command from asking ZooKeeper. Throws CommandError
// (Unreachable) if the spool has no output of the job: another machine may have it.
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

async::Task<int> execute(Context &context)
{
    requireNoForm(context.arguments(), "the output of the job");
    const jobs::JobId id = parseJobId(context.arguments().at(0));
    const bool error = context.arguments().has("stderr");
    output::Streams streams{.output = !error, .error = error};
    if (context.arguments().has("tail"))
        streams.lastLines = context.arguments().integer("tail", 0, MaxTail, 0);
    using Shown = JobStreams::Shown;
    const Shown shown = context.arguments().has("raw") ? Shown::AsWritten : Shown::SafeOnTerminals;
    if (context.arguments().has("attempt") && context.arguments().has("follow"))
        throw UsageError(
            QStringLiteral("--attempt and --follow do not go together: an earlier attempt writes no more"));
    if (context.arguments().has("attempt") && context.arguments().has("spool"))
        throw UsageError(QStringLiteral(
            "--attempt and --spool do not go together: only ZooKeeper knows how the attempts are counted"));
    if (context.arguments().has("spool") && context.arguments().has("follow"))
        throw UsageError(QStringLiteral("--follow asks ZooKeeper when the job has ended, and --spool does not ask it"));
    if (context.arguments().has("spool")) {
        co_await copySpooled(context, id, streams, shown, QDir(context.arguments().value("spool")).absolutePath());
        co_return ExitOk;
    }
    std::optional<jobs::Cluster> cluster;
    std::exception_ptr trouble;
    try {
        const jobs::Cluster opened = co_await context.openCluster();
        cluster.emplace(opened);
    } catch (...) {
        trouble = std::current_exception();
        const bool mayBeHere = explain(trouble).code == ExitUnreachable && !context.arguments().has("follow")
            && !context.arguments().has("attempt");
        if (!mayBeHere)
            throw;
    }
    if (trouble) {
        co_await copySpooledWithoutCluster(context, id, streams, shown, trouble);
        co_return ExitOk;
    }
    JobOutput output(context, *cluster, streams, shown);
    const jobs::JobView job = co_await lookUpWhereItIs(context, *cluster, id);
    if (context.arguments().has("attempt")) {
        const qint64 attempt = context.arguments().integer("attempt", 1, MaxAttempt, 1);
        co_await output.copyAttempt(job, static_cast<int>(attempt));
        co_return ExitOk;
    }
    if (!context.arguments().has("follow") || job.record || job.progress) {
        co_await output.copy(job);
        if (job.record)
            tellOfEnd(*job.record, false);
        co_return ExitOk;
    }
    WaitingNotice notice(context, *cluster);
    notice.watch(job.id);
    const JobOutput::Moved moved = [&notice](const jobs::JobId &to) { notice.watch(to); };
    try {
        const jobs::FinalRecord record = co_await output.followAnywhere(job.id, moved);
        tellOfEnd(record, job.spec && job.spec->array);
    } catch (const zk::SessionLost &lost) {
        throw CommandError(ExitUnreachable,
                           QStringLiteral("%1; job %2 was not changed by this, and its output stays: drover logs -f %2 "
                                          "shows all of it once ZooKeeper answers")
                               .arg(QString::fromUtf8(lost.what()), job.id.toString()));
    }
    co_return ExitOk;
}

} // namespace

Command logs()
{
    return {
        .name = "logs",
        .synopsis = "[OPTIONS] ID",
        .summary = "Print the output of a job",
        .details =
            "If the job has failed, its standard error follows on standard error, and then why it ended unless it\n"
            "ended by itself and had written something.\n"
            "The output is kept on the machine of the job's worker. It is read from there, or, on another machine,\n"
            "through that worker (drover worker --listen). If the worker has gone, the last 4 KiB come from the\n"
            "job's final record, and a message says so. Output of earlier attempts is kept there as long as that of\n"
            "the last, but only a worker of the same spool can find it (exit code 3: it is not found). While no\n"
            "ZooKeeper answers, the output is read from the spool of this machine's workers, as far as it is there,\n"
            "or from the spool that --spool names. A terminal gets control characters as \\x1b, except for line ends,\n"
            "tabs and colours; files and pipes get all as it is.",
        .options = {option("f follow", "go on until the job has ended"), option("stderr", "standard error alone"),
                    rawOption(), option("tail", "only the last N lines of the output", "N"),
                    option("attempt", "what attempt N wrote: 1 is the first (default: the last)", "N"),
                    option("spool", "read from this spool of a worker, without ZooKeeper", "DIR")},
        .takes = {{CompletionKind::BegunJob}},
        .needs = {{trust::Role::Viewer}},
        .examples = {"drover logs -f default-42", "drover logs --stderr --tail 20 default-42",
                     "drover logs --attempt 1 default-42"},
        .exits = {{"3", "there is no such job, or its output is not to be had"},
                  {"4", "the job has not begun, ended before it had begun, or is an array"}},
        .run = execute};
}

} // namespace drover::app
