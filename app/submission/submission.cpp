#include "app/submission/submission.h"

#include "app/cli/failure.h"
#include "app/cli/output.h"
#include "app/cli/standard_input.h"
#include "app/jobs/archived_jobs.h"
#include "app/submission/job_fields.h"
#include "app/submission/job_file.h"
#include "app/submission/submitting_process.h"
#include "jobs/client/submitter.h"
#include "jobs/model/gang.h"
#include "jobs/model/output_path.h"
#include "text/quantity.h"

#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>
#include <QStandardPaths>

#include <algorithm>
#include <csignal>

namespace drover::app {

namespace {

// The command begins at the argument `first`.
void applyOptions(jobs::JobSpec &spec, const Arguments &arguments, qsizetype first = 0)
{
    if (arguments.has("start-at") && arguments.has("delay"))
        throw UsageError(QStringLiteral("--start-at and --delay both say when; give one of them"));
    for (const JobField &field : jobFields()) {
        if (arguments.has(field.name))
            field.apply(spec, arguments.values(field.name), QStringLiteral("--") + QLatin1String(field.name));
    }
    if (arguments.positional().size() > first)
        spec.command = arguments.positional().mid(first);
}

// Refuses what says how to retry a job that is never retried. CONTRIBUTING.md names this list ("A field of a job").
void requireRetries(const jobs::JobSpec &spec, const Arguments &arguments, const JobFile &file)
{
    if (spec.retry.limit > 0)
        return;
    for (const char *const name : {"retry-on", "backoff", "backoff-max"}) {
        const QString field = QLatin1String(name);
        if (arguments.has(name))
            throw UsageError(
                QStringLiteral("--%1 means nothing without retries; give --retries N as well, or leave it out")
                    .arg(field));
        if (file.has(field))
            throw UsageError(QStringLiteral("%1 means nothing without retries; add retries = N, or leave it out")
                                 .arg(file.where(field)));
    }
}

// Refuses what each field allows and all together do not.
void requireSense(const jobs::JobSpec &spec)
{
    if (spec.command.isEmpty())
        throw UsageError(QStringLiteral("there is no command; give one after --, or as \"command\" of a job file"));
    if (spec.command.front().isEmpty())
        throw UsageError(QStringLiteral("the program's name is empty; give a command after --"));
    if (spec.killGrace > jobs::JobSpec::MaxKillGrace)
        throw UsageError(QStringLiteral("grace: %1 is too long; at most 24h are possible")
                             .arg(text::formatDuration(spec.killGrace)));
    if (spec.secrets.size() > jobs::JobSpec::MaxSecrets)
        throw UsageError(QStringLiteral("secret: a job has at most %1").arg(jobs::JobSpec::MaxSecrets));
    for (const auto &[name, reference] : spec.secrets) {
        if (spec.environment.contains(name))
            throw UsageError(
                QStringLiteral("%1 is a variable of the job, and one of its secrets; rename the secret").arg(name));
    }
    if (!spec.runAs.isEmpty() && !spec.appendTo.isEmpty())
        throw UsageError(
            QStringLiteral("run-as and append-to do not go together, because the worker's user appends; name the file "
                           "with --stdout, or let the command append to it"));
    for (const QString &path : {spec.standardOutput, spec.standardError}) {
        if (jobs::needsArray(path) && !spec.array)
            throw UsageError(QStringLiteral("%1: %a is the index in an array, and this is none").arg(path));
        if (!path.isEmpty() && spec.array && !jobs::isPerTask(path) && !path.startsWith(u"/dev/"))
            throw UsageError(QStringLiteral("%1: all tasks of the array would write to it; put %a, the index, or %j "
                                            "into the name")
                                 .arg(path));
    }
    for (const QString &name : spec.locks) {
        if (spec.sharedLocks.contains(name))
            throw UsageError(QStringLiteral("lock \"%1\" cannot be held shared and alone at once").arg(name));
    }
}

// The members of a gang are the tasks of an array. Refuses what would keep them from beginning together.
void makeGang(jobs::JobSpec &spec)
{
    if (spec.gang == 0)
        return;
    if (spec.array)
        throw UsageError(QStringLiteral("array and gang do not go together: the members of a gang are its tasks"));
    if (!spec.locks.isEmpty())
        throw UsageError(
            QStringLiteral("each member of a gang would wait for the others to give lock \"%1\" back; share it "
                           "(lock-shared), or take it inside one of them")
                .arg(spec.locks.front()));
    spec.array = jobs::GangSize{spec.gang}.upTo(0);
}

// A path is looked at from the current directory: another one may be of another machine, or on a file server that
// hangs.
bool isProgramHere(const QString &name, const jobs::JobSpec &spec, const QStringList &folders)
{
    if (!name.contains(u'/'))
        return !QStandardPaths::findExecutable(name, folders).isEmpty();
    const QFileInfo file(name);
    return spec.directory == QDir::currentPath() && file.isFile() && file.isExecutable();
}

// Whether a command with its arguments is in one pair of quotation marks. Then the program is the first
// word of it, and there is none by the whole name.
bool isWholeLine(const jobs::JobSpec &spec, const QStringList &folders)
{
    const QString whole = spec.command.front();
    const QString first = whole.section(u' ', 0, 0);
    return spec.command.size() == 1 && whole.contains(u' ') && !first.isEmpty() && !isProgramHere(whole, spec, folders)
        && isProgramHere(first, spec, folders);
}

// A program without a slash is looked for in PATH alone, as execvp() does. A worker may have it where this machine does
// not, so this is no error.
jobs::JobSpec withHint(jobs::JobSpec spec)
{
    const QString program = spec.command.front();
    const auto path = spec.environment.find(QStringLiteral("PATH"));
    const QStringList folders = path == spec.environment.end() ? QStringList() : path->second.split(u':');
    if (!program.contains(u'/') && spec.directory == QDir::currentPath() && QFileInfo(program).isFile()
        && QStandardPaths::findExecutable(program, folders).isEmpty())
        Output::message(QStringLiteral("\"%1\" is not in PATH here, and %2 has a file of that name; did you mean ./%1?")
                            .arg(program, spec.directory));
    if (isWholeLine(spec, folders))
        Output::message(QStringLiteral("\"%1\" is taken for the name of one program; leave the quotation marks out, or "
                                       "give the line to a shell: -- sh -c '%1'")
                            .arg(program));
    return spec;
}

} // namespace

QList<QCommandLineOption> jobOptions()
{
    QList<QCommandLineOption> options;
    for (const JobField &field : jobFields())
        options.append(option(field.name, field.description, field.placeholder));
    return options;
}

QList<QCommandLineOption> resubmitOptions()
{
    static const QRegularExpression defaults(QStringLiteral(" *\\(default: [^)]*\\)"));
    QList<QCommandLineOption> options = jobOptions();
    for (QCommandLineOption &option : options)
        option.setDescription(option.description().remove(defaults));
    return options;
}

QList<QCommandLineOption> submissionOptions()
{
    return QList{option("file", "job file, TOML or JSON (-: standard input): a field for each option, and \"command\"",
                        "FILE")}
    + jobOptions();
}

void requireValidOptions(const Arguments &arguments)
{
    jobs::JobSpec spec;
    applyOptions(spec, arguments, arguments.positional().size());
}

async::Task<jobs::JobSpec> readSpec(Arguments arguments, qsizetype first)
{
    if (!arguments.has("file"))
        co_return withHint(specFrom(arguments, JobFile(), first));
    const QString path = arguments.value("file");
    if (path == u"-") {
        const QByteArray text = co_await readStandardInput();
        co_return withHint(specFrom(arguments, JobFile::parse(text, QStringLiteral("standard input")), first));
    }
    const QByteArray text = co_await readFile(path, JobFile::MaxSize + 1, QStringLiteral("the job file %1").arg(path));
    co_return withHint(specFrom(arguments, JobFile::parse(text, path), first));
}

jobs::JobSpec specFrom(const Arguments &arguments, const JobFile &file, qsizetype first)
{
    jobs::JobSpec spec;
    spec.environment = inheritedEnvironment();
    spec.directory = currentDirectory();
    jobs::noteSubmit(spec);
    file.applyTo(spec);
    applyOptions(spec, arguments, first);
    requireRetries(spec, arguments, file);
    requireSense(spec);
    makeGang(spec);
    return spec;
}

jobs::JobSpec completed(jobs::JobSpec spec)
{
    requireSense(spec);
    makeGang(spec);
    return spec;
}

jobs::JobSpec resubmitted(jobs::JobSpec job, const Arguments &arguments)
{
    if (job.gang > 0)
        job.array.reset(); // of that size, as the options may say another
    if (arguments.has("array"))
        job.arrayCount = 0; // it is no part of another any more
    jobs::noteSubmit(job);
    applyOptions(job, arguments, arguments.positional().size());
    requireRetries(job, arguments, JobFile());
    if (job.retry.limit == 0)
        job.retry = {}; // of what was to be retried
    requireSense(job);
    makeGang(job);
    return job;
}

void outliveReaders()
{
    ::signal(SIGPIPE, SIG_IGN);
}

QCommandLineOption waitForRoomOption()
{
    return option("wait-for-room", "wait while the queue is full, instead of refusing the job");
}

jobs::Submitter::OnFull whenFull(const Context &context)
{
    if (!context.arguments().has("wait-for-room"))
        return {};
    return [told = false](const QByteArray &queue, qint64 limit) mutable {
        if (!std::exchange(told, true))
            Output::message(QStringLiteral("waiting for room: %1").arg(jobs::describeFull(queue, limit)));
    };
}

QString howToFind(const jobs::JobSpec &spec)
{
    const QString name = spec.title();
    const bool isPlain = std::all_of(name.begin(), name.end(),
                                     [](QChar c) { return c.isLetterOrNumber() || QStringView(u"-_./").contains(c); });
    return isPlain && !name.isEmpty() ? QStringLiteral("drover ls --all --name %1").arg(name)
                                      : QStringLiteral("drover ls --all");
}

async::Task<jobs::JobId> submitNamed(Context &context, jobs::Submitter &submitter, jobs::JobSpec job)
{
    std::optional<jobs::IdUnknown> unknown;
    try {
        co_return co_await submitter.submit(std::move(job));
    } catch (const jobs::IdUnknown &error) {
        unknown = error;
    }
    const std::optional<jobs::JobId> past =
        co_await findArchivedByKey(context, unknown->queue, unknown->key, unknown->from);
    if (!past)
        throw jobs::IdUnknown(*unknown);
    co_return *past;
}

async::Task<jobs::JobId> submitJob(Context &context, jobs::Submitter &submitter, jobs::JobSpec job)
{
    const QString check = howToFind(job);
    try {
        co_return co_await submitNamed(context, submitter, std::move(job));
    } catch (const jobs::SubmittedOrNot &) {
        const Failure failure = explain(std::current_exception(), check);
        throw CommandError(failure.code, failure.message);
    } catch (const zk::SessionLost &error) {
        throw CommandError(ExitUnreachable,
                           QStringLiteral("the job was not submitted: %1").arg(QString::fromUtf8(error.what())));
    }
}

CommandError lostWhileWaiting(const jobs::JobId &id, const QString &goOn, const zk::SessionLost &error)
{
    return CommandError(ExitUnreachable,
                        QStringLiteral("%1; job %2 was submitted and goes on: %3")
                            .arg(QString::fromUtf8(error.what()), id.toString(), goOn));
}

namespace {

void print(const Context &context, const jobs::JobId &id)
{
    if (context.out().isTable() || context.arguments().has("id-only")) {
        context.out().line(id.toString());
        return;
    }
    context.out().object({},
                         {{QStringLiteral("id"), id.toString()},
                          {QStringLiteral("queue"), QString::fromLatin1(id.queue)},
                          {QStringLiteral("cluster"), QString::fromLatin1(context.settings().cluster)}});
}

} // namespace

void printSubmitted(const Context &context, const jobs::JobId &id)
{
    outliveReaders();
    try {
        print(context, id);
    } catch (const CommandError &error) {
        throw CommandError(error.code(),
                           QStringLiteral("%1 was submitted; %2").arg(id.toString(), QString::fromUtf8(error.what())));
    }
}

} // namespace drover::app
