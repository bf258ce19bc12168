#include "app/submission/job_fields.h"

#include "app/cli/failure.h"
#include "app/cli/json_builder.h"
#include "app/cli/units.h"
#include "app/submission/dependency_texts.h"
#include "app/submission/submitting_process.h"
#include "jobs/client/submitter.h"
#include "jobs/model/resource_limit.h"
#include "text/printable.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QJsonArray>

#include <algorithm>
#include <limits>

namespace drover::app {

using jobs::Dependency;
using jobs::JobSpec;
using Type = JobField::Type;

namespace {

using Values = const QStringList &;
using What = const QString &;

int number(Values values, What what, qint64 minimum, qint64 maximum)
{
    return static_cast<int>(parseInteger(values.last(), what, minimum, maximum));
}

// Names of locks, limits and labels: each value may hold several, with commas.
QStringList names(Values values, What what)
{
    QStringList list;
    for (const QString &value : values) {
        for (const QString &name : value.split(u',')) {
            parseLockName(name, what);
            if (!list.contains(name))
                list.append(name);
        }
    }
    return list;
}

template <Dependency::Kind kind>
void setAfter(JobSpec &spec, Values values, What what)
{
    std::erase_if(spec.after, [](const Dependency &dependency) { return dependency.kind == kind; });
    for (const QString &value : values) {
        for (const QString &text : value.split(u',')) {
            for (const Dependency &dependency : parseDependencies(kind, text, what))
                spec.after.push_back(dependency);
        }
    }
}

QList<int> codes(Values values, What what)
{
    QList<int> list;
    for (const QString &value : values) {
        for (const QString &text : value.split(u','))
            list.append(static_cast<int>(parseInteger(text, what, 1, 255)));
    }
    return list;
}

jobs::ArrayIndices arrayIndices(Values values, What what)
{
    const std::optional<jobs::ArrayIndices> indices = jobs::ArrayIndices::parse(values.last());
    if (!indices)
        throw UsageError(
            QStringLiteral("%1: \"%2\" is not an ascending list of up to %3 indices, each below %5, in %4 ranges; "
                           "give FIRST-LAST, with :STEP and %MOST "
                           "at once where wanted: 1-1000%50, 0-99:10, 1-3,8,20-40")
                .arg(what, values.last(), QString::number(jobs::ArrayIndices::MaxCount),
                     QString::number(jobs::ArrayIndices::MaxParts),
                     QString::number(std::numeric_limits<qint32>::max())));
    return *indices;
}

// In bytes, seconds or numbers, as the job's specification has them.
QStringList ulimits(Values values, What what)
{
    QStringList list;
    for (const QString &value : values) {
        const QString name = value.section(u'=', 0, 0);
        QString limit = value.section(u'=', 1);
        if (limit != u"unlimited" && jobs::isSize(name))
            limit = QString::number(parseSize(limit, what));
        if (!jobs::ResourceLimit::parse(name + u'=' + limit))
            throw UsageError(
                QStringLiteral("%1: \"%2\" is not a limit; give NAME=VALUE, or NAME=unlimited, with one of %3")
                    .arg(what, value, jobs::resourceNames().join(QStringLiteral(", "))));
        list.append(name + u'=' + limit);
    }
    return list;
}

QStringList tags(Values values, What what)
{
    QStringList list;
    for (const QString &tag : values) {
        const bool plain = std::all_of(tag.begin(), tag.end(), [](QChar c) { return c.isPrint(); });
        if (tag.isEmpty() || tag.size() > 64 || !plain)
            throw UsageError(
                QStringLiteral("%1: \"%2\" is not a valid tag; use 1 to 64 printable characters").arg(what, tag));
        if (!list.contains(tag))
            list.append(tag);
    }
    return list;
}

QString dedupeKey(Values values, What what)
{
    if (values.last().isEmpty() || values.last().size() > 1024)
        throw UsageError(QStringLiteral("%1: a key has 1 to 1024 characters").arg(what));
    return values.last();
}

QString jobName(Values values, What what)
{
    const qsizetype bytes = values.last().toUtf8().size();
    if (bytes > JobSpec::MaxName)
        throw UsageError(QStringLiteral("%1: a name has up to %2 bytes, and this has %3; --comment takes a sentence")
                             .arg(what, QString::number(JobSpec::MaxName), QString::number(bytes)));
    return values.last();
}

// One line that a terminal shows as it is: no control characters, and nothing that turns the direction of the text.
QString comment(Values values, What what)
{
    const QString text = values.last().trimmed();
    if (text.toUcs4().size() > JobSpec::MaxComment || text::printable(text) != text)
        throw UsageError(QStringLiteral("%1: a comment is one line of up to %2 printable characters")
                             .arg(what)
                             .arg(JobSpec::MaxComment));
    return text;
}

// What a job file in JSON says; Undefined: nothing.
QJsonValue said(const QString &text)
{
    return text.isEmpty() ? QJsonValue(QJsonValue::Undefined) : text;
}

QJsonValue said(const QStringList &list)
{
    return list.isEmpty() ? QJsonValue(QJsonValue::Undefined) : QJsonArray::fromStringList(list);
}

QJsonValue said(std::chrono::milliseconds duration)
{
    return exactDuration(duration);
}

QJsonValue saidIf(bool isMeant, const QJsonValue &value)
{
    return isMeant ? value : QJsonValue(QJsonValue::Undefined);
}

QJsonValue saidEnvironment(const JobSpec &spec)
{
    QJsonObject environment;
    for (const auto &[name, value] : spec.environment)
        environment.insert(name, value);
    return environment;
}

QJsonValue saidSecrets(const JobSpec &spec)
{
    QJsonObject secrets;
    for (const auto &[name, reference] : spec.secrets)
        secrets.insert(name, reference);
    return saidIf(!secrets.isEmpty(), secrets);
}

template <Dependency::Kind kind>
QJsonValue saidAfter(const JobSpec &spec)
{
    return said(dependencyTexts(spec.after, kind));
}

// For people, and where the job goes.
QList<JobField> descriptionFields()
{
    return {
        {"name", "name for people (default: the program)", "NAME", Type::Text,
         [](JobSpec &spec, Values values, What what) { spec.name = jobName(values, what); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.name); }},
        {"comment", "one line of text for people", "TEXT", Type::Text,
         [](JobSpec &spec, Values values, What what) { spec.comment = comment(values, what); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.comment); }},
        {"queue", "queue to submit to (default: default)", "QUEUE", Type::Text,
         [](JobSpec &spec, Values values, What what) { spec.queue = parseName(values.last(), what); },
         [](const JobSpec &spec) -> QJsonValue { return QString::fromLatin1(spec.queue); }},
        {"priority", "0 (first) to 9 (default: 5)", "N", Type::Number,
         [](JobSpec &spec, Values values, What what) { spec.priority = number(values, what, 0, JobSpec::MaxPriority); },
         [](const JobSpec &spec) -> QJsonValue { return spec.priority; }},
        {"tag", "for filters of other commands; may be repeated", "TAG", Type::List,
         [](JobSpec &spec, Values values, What what) { spec.tags = tags(values, what); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.tags); }, "tags"},
        {"dedupe", "no second job with this key until a minute after the first's end; prints that one's id", "KEY",
         Type::Text, [](JobSpec &spec, Values values, What what) { spec.dedupe = dedupeKey(values, what); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.dedupe); }},
    };
}

// How its process runs.
QList<JobField> processFields()
{
    return {
        {"env", "set a variable, or pass on one that is set here; may be repeated", "NAME[=VALUE]", Type::Variables,
         [](JobSpec &spec, Values values, What what) { addVariables(spec.environment, values, what); },
         saidEnvironment},
        {"secret",
         "variable with what is at file:PATH or env:VARIABLE of the worker, if its owner allows it; "
         "may be repeated",
         "NAME=REFERENCE", Type::Variables,
         [](JobSpec &spec, Values values, What what) { addSecrets(spec.secrets, values, what); }, saidSecrets,
         "secrets"},
        {"dir", "working directory (default: the current one)", "DIR", Type::Text,
         [](JobSpec &spec, Values values, What) { spec.directory = QDir(values.last()).absolutePath(); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.directory); }},
        {"run-as", "user of the worker's machine to run as, if that worker allows it (default: the worker's)", "USER",
         Type::Text,
         [](JobSpec &spec, Values values, What what) {
             spec.runAs = QString::fromLatin1(parseLockName(values.last(), what));
         },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.runAs); }},
        {"input", "file for standard input (default: none)", "FILE", Type::Text,
         [](JobSpec &spec, Values values, What what) { spec.input = inputPath(values.last(), what); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.input); }},
        {"append-to", "append standard output to a shared file, once, when the job has succeeded", "FILE", Type::Text,
         [](JobSpec &spec, Values values, What) { spec.appendTo = QFileInfo(values.last()).absoluteFilePath(); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.appendTo); }},
        {"stdout", "a copy of standard output, of the last attempt; %j: job id, %a: index, %n: name", "FILE",
         Type::Text,
         [](JobSpec &spec, Values values, What what) { spec.standardOutput = outputPath(values.last(), what); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.standardOutput); }},
        {"stderr", "copy standard error to this file; --stdout may name it, too", "FILE", Type::Text,
         [](JobSpec &spec, Values values, What what) { spec.standardError = outputPath(values.last(), what); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.standardError); }},
        {"output-limit", "bytes kept of each output stream, half of its beginning, half of its end (default: 64M)",
         "SIZE", Type::Size,
         [](JobSpec &spec, Values values, What what) { spec.outputLimit = parseSize(values.last(), what); },
         [](const JobSpec &spec) -> QJsonValue { return spec.outputLimit; }},
        {"time-limit", "end the job after so long (default: none)", "DURATION", Type::Text,
         [](JobSpec &spec, Values values, What what) { spec.timeLimit = parseDuration(values.last(), what); },
         [](const JobSpec &spec) -> QJsonValue { return saidIf(spec.timeLimit.count() > 0, said(spec.timeLimit)); }},
        {"grace", "time between SIGTERM and SIGKILL (default: 5s)", "DURATION", Type::Text,
         [](JobSpec &spec, Values values, What what) { spec.killGrace = parseDuration(values.last(), what); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.killGrace); }},
    };
}

// How often it is tried.
QList<JobField> attemptFields()
{
    return {
        {"max-attempts", "how often it may be lost with its worker before Drover gives up (default: 5)", "N",
         Type::Number,
         [](JobSpec &spec, Values values, What what) { spec.maxAttempts = number(values, what, 1, 1000); },
         [](const JobSpec &spec) -> QJsonValue { return spec.maxAttempts; }},
        {"retries", "how often it is retried after a failure (default: 0)", "N", Type::Number,
         [](JobSpec &spec, Values values, What what) {
             spec.retry.limit = number(values, what, 0, jobs::RetryPolicy::MaxLimit);
         },
         [](const JobSpec &spec) -> QJsonValue { return saidIf(spec.retry.limit > 0, spec.retry.limit); }},
        {"retry-on",
         "exit codes to retry, with commas; 128+N: signal N, 124: time limit; may be repeated (default: any)", "CODES",
         Type::Codes, [](JobSpec &spec, Values values, What what) { spec.retry.codes = codes(values, what); },
         [](const JobSpec &spec) -> QJsonValue { return saidIf(spec.retry.limit > 0, toJson(spec.retry.codes)); }},
        {"backoff", "longest time before the first retry, at least half of it; then doubled (default: 1s)", "DURATION",
         Type::Text,
         [](JobSpec &spec, Values values, What what) { spec.retry.firstDelay = parseDuration(values.last(), what); },
         [](const JobSpec &spec) -> QJsonValue { return saidIf(spec.retry.limit > 0, said(spec.retry.firstDelay)); }},
        {"backoff-max", "longest time before a later retry, if longer than --backoff (default: 5m)", "DURATION",
         Type::Text,
         [](JobSpec &spec, Values values, What what) { spec.retry.longestDelay = parseDuration(values.last(), what); },
         [](const JobSpec &spec) -> QJsonValue { return saidIf(spec.retry.limit > 0, said(spec.retry.longestDelay)); }},
    };
}

// What a worker must have for it.
QList<JobField> needFields()
{
    return {
        {"slots", "slots of a worker that it takes (default: 1)", "N", Type::Number,
         [](JobSpec &spec, Values values, What what) { spec.needs.slots = number(values, what, 1, JobSpec::MaxSlots); },
         [](const JobSpec &spec) -> QJsonValue { return spec.needs.slots; }},
        {"memory", "memory that it needs; one that takes more is killed (default: any)", "SIZE", Type::Size,
         [](JobSpec &spec, Values values, What what) {
             spec.needs.memory = parseSize(values.last(), what, LeastMemory);
         },
         [](const JobSpec &spec) -> QJsonValue { return saidIf(spec.needs.memory > 0, spec.needs.memory); }},
        {"ulimit", "limit of each process: nofile=4096, core=unlimited, fsize=1G, cpu=60 s; may be repeated",
         "NAME=VALUE", Type::List,
         [](JobSpec &spec, Values values, What what) { spec.ulimits = ulimits(values, what); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.ulimits); }, "ulimits"},
        {"label", "label that its worker must have; may be repeated", "LABEL", Type::List,
         [](JobSpec &spec, Values values, What what) { spec.needs.labels = names(values, what); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.needs.labels); }, "labels"},
    };
}

// When it may start.
QList<JobField> startFields()
{
    return {
        {"start-at", "not before this local time: 2030-05-01T12:00, or 18:30 for the next time it is that late", "TIME",
         Type::Text,
         [](JobSpec &spec, Values values, What what) { spec.notes.notBefore = parseStart(values.last(), what); },
         [](const JobSpec &spec) -> QJsonValue { return said(formatTime(spec.notes.notBefore)); }},
        {"delay", "not before so long from now", "DURATION", Type::Text,
         [](JobSpec &spec, Values values, What what) {
             const qint64 now = QDateTime::currentMSecsSinceEpoch();
             spec.notes.notBefore = std::chrono::milliseconds(now) + parseDuration(values.last(), what);
         },
         [](const JobSpec &) { return QJsonValue(QJsonValue::Undefined); }},
        {"hold", "not before drover release", "", Type::Flag,
         [](JobSpec &spec, Values, What) { spec.notes.heldBy = jobs::submitterName(); },
         [](const JobSpec &spec) -> QJsonValue { return saidIf(!spec.notes.heldBy.isEmpty(), true); }},
        {"after",
         "once these jobs have begun: ids, with commas, the jobs of a range: default-3..17, or with a tag: "
         "tag:nightly; "
         "may be repeated",
         "JOB", Type::List, setAfter<Dependency::Kind::Begun>, saidAfter<Dependency::Kind::Begun>},
        {"after-ok", "once they have succeeded; may be repeated", "JOB", Type::List, setAfter<Dependency::Kind::Ok>,
         saidAfter<Dependency::Kind::Ok>},
        {"after-fail", "once they have failed or were cancelled; may be repeated", "JOB", Type::List,
         setAfter<Dependency::Kind::Failed>, saidAfter<Dependency::Kind::Failed>},
        {"after-any", "once they have ended; may be repeated", "JOB", Type::List, setAfter<Dependency::Kind::Any>,
         saidAfter<Dependency::Kind::Any>},
        {"singleton", "once all earlier jobs of its name and queue have ended", "", Type::Flag,
         [](JobSpec &spec, Values, What) { spec.singleton = true; },
         [](const JobSpec &spec) -> QJsonValue { return saidIf(spec.singleton, true); }},
    };
}

// With what it runs: tasks, members, locks.
QList<JobField> setFields()
{
    return {
        {"gang", "so many members that begin together, each as one such job, or not at all", "N", Type::Number,
         [](JobSpec &spec, Values values, What what) { spec.gang = number(values, what, 1, JobSpec::MaxGang); },
         [](const JobSpec &spec) -> QJsonValue { return saidIf(spec.gang > 0, spec.gang); }},
        {"array", "one task for each index: 1-1000, 0-99:10, 1-3,8,20; 1-1000%50 at most 50 at once", "RANGE",
         Type::Text, [](JobSpec &spec, Values values, What what) { spec.array = arrayIndices(values, what); },
         [](const JobSpec &spec) -> QJsonValue {
             return said(spec.array && spec.gang == 0 ? spec.array->toString() : QString());
         }},
        {"lock", "named lock that it holds alone while it runs, as drover lock NAME does; may be repeated", "LOCK",
         Type::List, [](JobSpec &spec, Values values, What what) { spec.locks = names(values, what); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.locks); }, "locks"},
        {"lock-shared", "hold a named lock together with jobs and commands that share it; may be repeated", "LOCK",
         Type::List, [](JobSpec &spec, Values values, What what) { spec.sharedLocks = names(values, what); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.sharedLocks); }, "locks_shared"},
        {"limit", "named limit of which it holds one permit (1 unless it was set); may be repeated", "LIMIT",
         Type::List, [](JobSpec &spec, Values values, What what) { spec.limits = names(values, what); },
         [](const JobSpec &spec) -> QJsonValue { return said(spec.limits); }, "limits"},
    };
}

} // namespace

QString JobField::key() const
{
    return plural ? QString::fromLatin1(plural) : QString::fromLatin1(name).replace(u'-', u'_');
}

const QList<JobField> &jobFields()
{
    static const QList<JobField> fields =
        descriptionFields() + processFields() + attemptFields() + needFields() + startFields() + setFields();
    return fields;
}

const JobField *findJobField(const QString &name)
{
    const QList<JobField> &fields = jobFields();
    const auto found = std::find_if(fields.begin(), fields.end(),
                                    [&](const JobField &field) { return name == QLatin1String(field.name); });
    return found == fields.end() ? nullptr : &*found;
}

QJsonObject jobFileJson(const JobSpec &spec)
{
    QJsonObject file{{QStringLiteral("command"), QJsonArray::fromStringList(spec.command)}};
    for (const JobField &field : jobFields()) {
        const QJsonValue value = field.said(spec);
        if (!value.isUndefined())
            file.insert(field.key(), value);
    }
    return file;
}

} // namespace drover::app
