#include "workers/attempts/command_translation.h"

#include "jobs/model/output_path.h"
#include "jobs/model/resource_limit.h"
#include "output/spool_files.h"
#include "text/quantity.h"
#include "workers/claims/job_locks.h"

#include <QFile>

#include <algorithm>
#include <cstring>

#include <sys/resource.h>

namespace drover::workers {

using jobs::FinalRecord;

namespace {

constexpr qsizetype MostOfVariable = 64 * 1024; // bytes of a secret

std::string pathBytes(const QString &path)
{
    return QFile::encodeName(path).toStdString();
}

FinalRecord::Outcome outcomeOf(const Outcome &outcome)
{
    switch (outcome.how) {
    case How::TimedOut:
        return FinalRecord::Outcome::TimedOut;
    case How::FailedToStart:
        return outcome.refusedByPolicy() ? FinalRecord::Outcome::Refused : FinalRecord::Outcome::NotStarted;
    case How::Killed:
        return FinalRecord::Outcome::Cancelled;
    default:
        return outcome.signal ? FinalRecord::Outcome::Signalled : FinalRecord::Outcome::Exited;
    }
}

std::vector<std::string> pathsOf(const QStringList &paths)
{
    std::vector<std::string> bytes;
    for (const QString &path : paths)
        bytes.push_back(pathBytes(path));
    return bytes;
}

// What the worker's owner lets the job do, and the user that it runs as.
void applyPolicy(Command &command, const jobs::JobSpec &spec, const JobPolicy &policy)
{
    command.refusal = policy.refusal(spec).toStdString();
    command.programs = pathsOf(policy.programs);
    command.outputFolders = pathsOf(policy.outputFolders);
    const RunAsUser *const user = policy.userOf(spec);
    if (!user)
        return;
    command.uid = user->uid;
    command.gid = user->gid;
    command.groups = {user->groups.begin(), user->groups.end()};
    const std::string name = user->name.toLocal8Bit().toStdString();
    std::erase_if(command.environment, [](const std::string &variable) {
        return variable.starts_with("HOME=") || variable.starts_with("USER=") || variable.starts_with("LOGNAME=");
    });
    command.environment.push_back("HOME=" + user->home.toStdString());
    command.environment.push_back("USER=" + name);
    command.environment.push_back("LOGNAME=" + name);
}

void addVariable(Command &command, const QString &name, const QString &reference)
{
    const QByteArray variable = reference.mid(jobs::SecretInVariable.size()).toLatin1();
    const QByteArray value = qgetenv(variable.constData());
    if (qEnvironmentVariableIsSet(variable.constData()) && value.size() <= MostOfVariable) {
        command.environment.push_back(pathBytes(name) + '=' + value.toStdString());
    } else if (command.refusal.empty()) {
        const char *const why = value.isEmpty() ? "is not set there" : "has more than 64 KiB";
        command.refusal = "the worker's variable for the secret " + pathBytes(name + u'=' + reference) + ' ' + why;
    }
}

void addFile(Command &command, const QString &name, const QString &reference)
{
    const std::string path = pathBytes(reference.mid(jobs::SecretInFile.size()));
    const std::size_t slash = path.rfind('/');
    command.secrets.push_back(pathBytes(name) + '=');
    command.secrets.push_back(slash == 0 ? "/" : path.substr(0, slash));
    command.secrets.push_back(path.substr(slash + 1));
}

// The worker's variables, and where the files of others are. Refuses the command if a variable is not set or too long.
void addSecrets(Command &command, const jobs::JobSpec &spec)
{
    for (const auto &[name, reference] : spec.secrets) {
        std::erase_if(command.environment, [variable = pathBytes(name) + '='](const std::string &other) {
            return other.starts_with(variable);
        });
        if (reference.startsWith(jobs::SecretInVariable))
            addVariable(command, name, reference);
        else
            addFile(command, name, reference);
    }
}

// Where a job is that names no directory: a user of its own cannot enter the spool.
std::string usualDirectory(const jobs::JobSpec &spec, const WorkerOptions &options)
{
    return options.policy.userOf(spec) ? "/" : pathBytes(options.spool);
}

} // namespace

std::string encodeClaim(const ClaimedJob &job)
{
    const QByteArray text = job.id.bytes() + ' ' + job.entry.name() + ' '
        + QByteArray::number(job.attempts.claimVersion) + ' ' + QByteArray::number(job.claimZxid) + ' '
        + QByteArray::number(job.startZxid) + ' ' + QByteArray::number(job.attempts.notStarted);
    return text.toStdString();
}

std::optional<ClaimedJob> decodeClaim(const std::string &keptClaim)
{
    const QByteArrayList words = QByteArray::fromStdString(keptClaim).split(' ');
    if (words.size() != 5 && words.size() != 6) // 5: of an earlier version
        return std::nullopt;
    const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromLatin1(words[0]));
    const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(words[1]);
    if (!id || !entry)
        return std::nullopt;
    ClaimedJob job;
    job.id = *id;
    job.entry = *entry;
    job.attempts.claimVersion = words[2].toInt();
    job.claimZxid = words[3].toLongLong();
    job.startZxid = words[4].toLongLong();
    job.attempts.notStarted = words.size() == 6 ? words[5].toInt() : job.attempts.claimVersion;
    return job;
}

Command commandOf(const ClaimedJob &job, const WorkerOptions &options)
{
    const jobs::JobSpec &spec = job.spec;
    const QString &spool = options.spool;
    Command command;
    for (const QString &argument : spec.command)
        command.arguments.push_back(argument.toLocal8Bit().toStdString());
    const auto set = [&command](const QByteArray &variable) { command.environment.push_back(variable.toStdString()); };
    for (const auto &[name, value] : spec.environment) {
        if (!name.startsWith(u"DROVER_")) // ours come below, and the first of two would win
            set(name.toLocal8Bit() + '=' + value.toLocal8Bit());
    }
    std::for_each(options.jobEnvironment.begin(), options.jobEnvironment.end(), set);
    set("DROVER_JOB_ID=" + job.id.bytes());
    set("DROVER_QUEUE=" + job.id.queue);
    set("DROVER_ATTEMPT=" + QByteArray::number(job.attempts.number()));
    set("DROVER_FENCE=" + QByteArray::number(job.claimZxid));
    if (job.id.isTask() && spec.gang == 0) {
        set("DROVER_ARRAY_ID=" + job.id.array().bytes());
        set("DROVER_ARRAY_INDEX=" + QByteArray::number(job.id.task));
        set("DROVER_ARRAY_COUNT=" + QByteArray::number(spec.arrayCount));
    }
    if (job.held)
        std::for_each(job.held->environment.begin(), job.held->environment.end(), set);
    command.directory = spec.directory.isEmpty() ? usualDirectory(spec, options) : pathBytes(spec.directory);
    command.input = pathBytes(spec.input);
    const output::SpoolFiles files = output::SpoolFiles::of(spool, job.id, job.attempts.claimVersion);
    command.output = pathBytes(files.output);
    command.error = pathBytes(files.error);
    command.outputCopy = pathBytes(jobs::expanded(spec.standardOutput, job.id, spec.title()));
    command.errorCopy = pathBytes(jobs::expanded(spec.standardError, job.id, spec.title()));
    if (spec.gang == 0) // a member's end counts only as long as it has its place in the round
        command.keptClaim = encodeClaim(job);
    command.outputCap = static_cast<std::uint64_t>(options.bounds.outputOf(spec));
    command.memory = options.bounds.memoryOf(spec);
    for (const QString &text : spec.ulimits) {
        if (const std::optional<jobs::ResourceLimit> limit = jobs::ResourceLimit::parse(text)) {
            const bool isUnlimited = limit->value == jobs::ResourceLimit::Unlimited;
            command.limits.push_back(static_cast<std::uint64_t>(limit->resource));
            command.limits.push_back(isUnlimited ? RLIM_INFINITY : static_cast<std::uint64_t>(limit->value));
        }
    }
    applyPolicy(command, spec, options.policy);
    if (command.refusal.empty())
        addSecrets(command, spec);
    command.timeLimit = spec.timeLimit;
    command.grace = options.bounds.graceOf(spec);
    return command;
}

FinalRecord recordOf(const ClaimedJob &job, const WorkerOptions &options, const Outcome &outcome)
{
    FinalRecord record = FinalRecord::of(job.id, job.spec);
    record.keepSigned(job.stored, job.entry.priority);
    record.outcome = outcomeOf(outcome);
    record.code = outcome.exitCode;
    record.signal = outcome.signal;
    record.reason = QString::fromStdString(outcome.reason);
    if (record.outcome == FinalRecord::Outcome::Refused)
        record.reason.remove(0, qsizetype(std::strlen(protocol::refusedByPolicy)));
    if (outcome.outOfMemory) {
        const QString other = record.reason.isEmpty() ? QString() : u"; "_qs + record.reason; // a copy, for example
        const qint64 limit = options.bounds.memoryOf(job.spec);
        record.reason = QStringLiteral("out of memory (limit %1)").arg(text::formatSize(limit)) + other;
    }
    record.attempts = job.attempts;
    record.worker = options.id;
    record.startedAt = outcome.startedAt;
    record.finishedAt = outcome.finishedAt;
    record.cpuTime = std::chrono::duration_cast<std::chrono::milliseconds>(outcome.cpu);
    record.peakMemory = outcome.peakBytes;
    record.outputBytes = static_cast<qint64>(outcome.outputBytes + outcome.errorBytes);
    record.outputTruncated = outcome.outputTruncated || outcome.errorTruncated;
    record.tail = QByteArray::fromStdString(outcome.tail);
    return record;
}

} // namespace drover::workers
