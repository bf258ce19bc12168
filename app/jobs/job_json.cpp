#include "app/jobs/job_json.h"

#include "app/cli/failure.h"
#include "app/cli/json_builder.h"
#include "app/cli/units.h"
#include "jobs/model/output_path.h"

#include <algorithm>

namespace drover::app {

using Kind = Column::Kind;

const QList<Column> JobListColumns{
    {"id", "ID"},
    {"state", "STATE", Kind::State},
    {"name", "NAME", Kind::Text, true, 8, 4},
    {"priority", "PRIO", Kind::Number, false, 8, 2},
    {"worker", "WORKER", Kind::Text, true},
    {"attempt", "ATTEMPT", Kind::Number, false, 8, 1},
    {"exit_code", "EXIT", Kind::Number},
    {"since", "FOR", Kind::Time},
    {"command", "COMMAND", Kind::Text, true, 8, 3},
};

const QList<Column> JobColumns{
    {"id", "id"},
    {"state", "state", Kind::State},
    {"array", "array"},
    {"progress", "progress"},
    {"malformed", "malformed"},
    {"name", "name"},
    {"comment", "comment"},
    {"command", "command"},
    {"dir", "directory"},
    {"run_as", "runs as"},
    {"secrets", "secrets"},
    {"input", "standard input"},
    {"stdout", "standard output"},
    {"stderr", "standard error"},
    {"append_to", "appends to"},
    {"tags", "tags"},
    {"dedupe", "submitted once as"},
    {"queue", "queue"},
    {"priority", "priority"},
    {"attempt", "attempt"},
    {"max_attempts", "attempts allowed"},
    {"retries", "retries allowed"},
    {"failed_attempts", "attempts that failed"},
    {"retry_on", "retried exit codes"},
    {"backoff", "first retry within"},
    {"backoff_max", "later ones within"},
    {"held_by", "held by"},
    {"start_at", "not before"},
    {"after", "waits for start"},
    {"after_ok", "waits for success"},
    {"after_fail", "waits for failure"},
    {"after_any", "waits for end"},
    {"singleton", "singleton"},
    {"gang", "gang of"},
    {"slots", "slots"},
    {"memory", "memory", Kind::Size},
    {"ulimits", "limits of processes"},
    {"labels", "needs labels"},
    {"locks", "locks"},
    {"locks_shared", "shared locks"},
    {"limits", "limits"},
    {"time_limit", "time limit"},
    {"cancel_requested", "cancel requested"},
    {"worker", "worker"},
    {"waits_for", "waits there for"},
    {"outcome", "outcome"},
    {"exit_code", "exit code", Kind::Number},
    {"signal", "signal", Kind::Number},
    {"reason", "reason"},
    {"submitter", "submitter"},
    {"submitted_at", "submitted", Kind::Time},
    {"started_at", "started", Kind::Time},
    {"ended_at", "ended", Kind::Time},
    {"since", "in this state since", Kind::Time},
    {"cpu_ms", "CPU time", Kind::Duration},
    {"peak_bytes", "peak memory", Kind::Size},
    {"output_bytes", "output", Kind::Size},
    {"output_truncated", "output cut"},
};

namespace {

void addRetries(JsonBuilder fields, const jobs::JobSpec &spec)
{
    fields.set("retries", spec.retry.limit);
    fields.set("failed_attempts", spec.notes.failed);
    if (!spec.retry.codes.isEmpty())
        fields.set("retry_on", toJson(spec.retry.codes));
    fields.duration("backoff", spec.retry.firstDelay);
    fields.duration("backoff_max", std::max(spec.retry.firstDelay, spec.retry.longestDelay)); // as delay() has it
}

// Where they are, which is all that is known here.
void addSecrets(JsonBuilder fields, const jobs::JobSpec &spec)
{
    QJsonObject references;
    for (const auto &[name, reference] : spec.secrets)
        references.insert(name, reference);
    if (!references.isEmpty())
        fields.set("secrets", references);
}

void addDependencies(JsonBuilder fields, const jobs::JobSpec &spec)
{
    using Dependency = jobs::Dependency;
    const auto add = [&](const char *key, Dependency::Kind kind) {
        QStringList others;
        for (const Dependency &dependency : spec.after) {
            if (dependency.kind == kind)
                others.append(dependency.on.toString());
        }
        fields.list(key, others);
    };
    add("after", Dependency::Kind::Begun);
    add("after_ok", Dependency::Kind::Ok);
    add("after_fail", Dependency::Kind::Failed);
    add("after_any", Dependency::Kind::Any);
}

// Under the keys of job files.
void addSpec(JsonBuilder fields, const jobs::JobSpec &spec)
{
    fields.text("name", spec.title());
    fields.text("comment", spec.comment);
    fields.set("command", QJsonArray::fromStringList(spec.command));
    fields.text("dir", spec.directory);
    fields.text("run_as", spec.runAs);
    addSecrets(fields, spec);
    fields.text("input", spec.input);
    fields.text("stdout", spec.standardOutput);
    fields.text("stderr", spec.standardError);
    fields.text("append_to", spec.appendTo);
    fields.list("tags", spec.tags);
    fields.text("dedupe", spec.dedupe);
    fields.text("held_by", spec.notes.heldBy);
    fields.time("start_at", spec.notes.notBefore);
    addDependencies(fields, spec);
    fields.flag("singleton", spec.singleton);
    fields.count("gang", spec.gang);
    fields.text("array", spec.array && spec.gang == 0 ? spec.array->toString() : QString());
    fields.count("slots", spec.needs.slots);
    fields.count("memory", spec.needs.memory);
    fields.list("ulimits", spec.ulimits);
    fields.list("labels", spec.needs.labels);
    fields.list("locks", spec.locks);
    fields.list("locks_shared", spec.sharedLocks);
    fields.list("limits", spec.limits);
    fields.set("max_attempts", spec.maxAttempts);
    if (spec.retry.limit > 0)
        addRetries(fields, spec);
    fields.duration("time_limit", spec.timeLimit);
    fields.text("submitter", spec.submitter);
    fields.time("submitted_at", spec.submittedAt);
}

// What was submitted, of a job that has ended.
void addSubmitted(QJsonObject &object, const jobs::FinalRecord &record)
{
    try {
        std::optional<jobs::JobSpec> job = record.jobToResubmit();
        if (!job)
            return;
        if (record.id.isTask() || !job->array) { // the tasks of an array have files of their own
            job->standardOutput = jobs::expanded(job->standardOutput, record.id, job->title());
            job->standardError = jobs::expanded(job->standardError, record.id, job->title());
        }
        addSpec(JsonBuilder(object), *job);
        object.remove(QStringLiteral("failed_attempts")); // they belong to the next run
        object.insert(QStringLiteral("priority"), job->priority);
    } catch (const jobs::Malformed &) {
        // The rest of the record can be read.
    }
}

void addProgress(JsonBuilder fields, const jobs::ArrayIndices &indices, const jobs::ArrayProgress &progress)
{
    fields.text("progress", progress.toString(indices.count()));
    fields.set("tasks", indices.count());
    fields.set("tasks_open", static_cast<qint64>(progress.open.size()));
    fields.set("tasks_ok", progress.ok);
    fields.set("tasks_failed", progress.failed);
    fields.set("tasks_cancelled", progress.cancelled);
}

void addRecord(JsonBuilder fields, const jobs::FinalRecord &record)
{
    fields.text("name", record.name.isEmpty() ? record.command.value(0) : record.name);
    if (!record.command.isEmpty())
        fields.set("command", QJsonArray::fromStringList(record.command));
    fields.text("worker", record.worker);
    fields.text("outcome", jobs::outcomeName(record.outcome));
    fields.set("exit_code", record.exitCode());
    if (record.signal != 0)
        fields.set("signal", record.signal);
    fields.text("reason", record.reason);
    if (record.failedTasks > 0)
        fields.set("tasks_failed", record.failedTasks);
    fields.list("tags", record.tags);
    fields.text("submitter", record.submitter);
    fields.time("submitted_at", record.submittedAt);
    fields.time("started_at", record.startedAt);
    if (record.worker.isEmpty()) // an array, or a job that ended before it began: no process was measured
        return;
    fields.set("cpu_ms", static_cast<qint64>(record.cpuTime.count()));
    fields.set("peak_bytes", record.peakMemory);
    fields.set("output_bytes", record.outputBytes);
    fields.set("output_truncated", record.outputTruncated);
}

} // namespace

QJsonObject jobJson(const jobs::JobView &job)
{
    QJsonObject object;
    JsonBuilder fields(object);
    fields.text("id", job.id.toString());
    fields.text("queue", QString::fromLatin1(job.id.queue));
    fields.text("state", jobs::stateName(job.state));
    fields.set("attempt", job.attempts);
    fields.time("since", job.since);
    if (job.entry)
        fields.set("priority", job.entry->priority);
    if (job.spec)
        addSpec(fields, *job.spec);
    if (job.progress)
        addProgress(fields, *job.spec->array, *job.progress);
    const bool isNoted = job.spec && job.spec->notes.cancelled; // also once the worker that was asked has gone
    if (!job.record && (isNoted || (job.claim && job.claim->cancelled)))
        fields.set("cancel_requested", true);
    if (job.claim) {
        fields.text("worker", job.claim->worker);
        fields.text("waits_for", job.claim->waits);
    }
    if (job.record && !job.spec)
        addSubmitted(object, *job.record);
    if (job.record) {
        addRecord(fields, *job.record);
        fields.time("ended_at", job.since);
    }
    if (!job.malformed.isEmpty()) {
        fields.text("malformed", job.malformed);
        fields.text("name", job.newerFormat ? QStringLiteral("(newer format)") : QStringLiteral("(malformed)"));
    }
    return object;
}

QJsonObject wholeJobJson(const jobs::JobView &job)
{
    QJsonObject object = jobJson(job);
    if (job.record)
        object.insert(QStringLiteral("output_tail"), QString::fromUtf8(job.record->tail));
    return object;
}

jobs::JobId parseJobId(const QString &text)
{
    const std::optional<jobs::JobId> id = jobs::JobId::parse(text);
    if (id)
        return *id;
    if (jobs::JobId::parse(QStringLiteral("default-") + text)) // Slurm's are numbers
        throw UsageError(QStringLiteral("\"%1\" is not a job id; an id is a queue and a number: default-%1").arg(text));
    throw UsageError(QStringLiteral("\"%1\" is not a job id; an id is a queue and a number: default-42; drover ls has "
                                    "--queue and --name to find one")
                         .arg(text));
}

} // namespace drover::app
