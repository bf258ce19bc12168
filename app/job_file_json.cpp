#include "app/job_file_json.h"

#include "app/sparse_fields.h"
#include "app/units.h"

namespace drover::app {

using jobs::Dependency;
using std::chrono::milliseconds;

namespace {

// A job file has no other way to say that a job has not got something.
class Fields : public SparseFields
{
public:
    using SparseFields::SparseFields;

    void duration(const char *field, milliseconds value) { set(field, QStringLiteral("%1ms").arg(value.count())); }
};

void addRetries(Fields fields, const jobs::RetryPolicy &retry)
{
    if (retry.limit == 0)
        return; // the rest means nothing then
    fields.set("retries", retry.limit);
    fields.set("retry-on", toJson(retry.codes));
    fields.duration("backoff", retry.firstDelay);
    fields.duration("backoff-max", retry.longestDelay);
}

void addProcess(Fields fields, const jobs::JobSpec &spec)
{
    QJsonObject environment;
    for (const auto &[name, value] : spec.environment)
        environment.insert(name, value);
    fields.set("command", QJsonArray::fromStringList(spec.command));
    fields.set("env", environment);
    fields.text("dir", spec.directory);
    fields.text("input", spec.input);
    fields.text("append-to", spec.appendTo);
    fields.text("stdout", spec.standardOutput);
    fields.text("stderr", spec.standardError);
    fields.set("output-limit", spec.outputLimit);
    fields.list("ulimit", spec.ulimits);
    if (spec.timeLimit.count() > 0)
        fields.duration("time-limit", spec.timeLimit);
    fields.duration("grace", spec.killGrace);
}

void addDependencies(Fields fields, const jobs::JobSpec &spec)
{
    using Kind = Dependency::Kind;
    constexpr std::pair<const char *, Kind> Kinds[] = {
        {"after", Kind::Begun}, {"after-ok", Kind::Ok}, {"after-fail", Kind::Failed}, {"after-any", Kind::Any}};
    for (const auto &[field, kind] : Kinds) {
        QStringList ids;
        for (const Dependency &dependency : spec.after) {
            if (dependency.kind == kind)
                ids.append(dependency.on.toString());
        }
        fields.list(field, ids);
    }
    fields.flag("singleton", spec.singleton);
    fields.flag("hold", !spec.heldBy.isEmpty());
    fields.text("start-at", formatTime(spec.notBefore));
}

} // namespace

QJsonObject jobFileJson(const jobs::JobSpec &spec)
{
    QJsonObject file;
    Fields fields(file);
    addProcess(fields, spec);
    addDependencies(fields, spec);
    addRetries(fields, spec.retry);
    fields.text("name", spec.name);
    fields.text("queue", QString::fromLatin1(spec.queue));
    fields.set("priority", spec.priority);
    fields.list("tag", spec.tags);
    fields.text("dedupe", spec.dedupe);
    fields.set("attempts", spec.maxAttempts);
    fields.set("slots", spec.needs.slots);
    fields.count("memory", spec.needs.memory);
    fields.list("label", spec.needs.labels);
    fields.count("gang", spec.gang);
    if (spec.array && spec.gang == 0) // a gang's is made of its width
        fields.text("array", spec.array->toString());
    fields.list("lock", spec.locks);
    fields.list("lock-shared", spec.sharedLocks);
    fields.list("limit", spec.limits);
    return file;
}

} // namespace drover::app
