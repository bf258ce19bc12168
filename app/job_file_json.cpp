#include "app/job_file_json.h"

#include "app/units.h"

#include <QJsonArray>

namespace drover::app {

using jobs::Dependency;
using std::chrono::milliseconds;

namespace {

// Leaves out what the job does not have: a job file has no other way to say so.
class File
{
public:
    void add(const char *field, const QJsonValue &value) { m_fields.insert(QLatin1String(field), value); }
    void text(const char *field, const QString &value)
    {
        if (!value.isEmpty())
            add(field, value);
    }
    void list(const char *field, const QStringList &values)
    {
        if (!values.isEmpty())
            add(field, QJsonArray::fromStringList(values));
    }
    void count(const char *field, qint64 value)
    {
        if (value > 0)
            add(field, value);
    }
    void flag(const char *field, bool value)
    {
        if (value)
            add(field, true);
    }
    void duration(const char *field, milliseconds value) { add(field, QStringLiteral("%1ms").arg(value.count())); }

    const QJsonObject &fields() const { return m_fields; }

private:
    QJsonObject m_fields;
};

void addRetries(File &file, const jobs::RetryPolicy &retry)
{
    if (retry.limit == 0)
        return; // the rest means nothing then
    QJsonArray codes;
    for (const int code : retry.codes)
        codes.append(code);
    file.add("retries", retry.limit);
    file.add("retry-on", codes);
    file.duration("backoff", retry.firstDelay);
    file.duration("backoff-max", retry.longestDelay);
}

void addProcess(File &file, const jobs::JobSpec &spec)
{
    QJsonObject environment;
    for (const auto &[name, value] : spec.environment)
        environment.insert(name, value);
    file.add("command", QJsonArray::fromStringList(spec.command));
    file.add("env", environment);
    file.text("dir", spec.directory);
    file.text("input", spec.input);
    file.text("append-to", spec.appendTo);
    file.text("stdout", spec.standardOutput);
    file.text("stderr", spec.standardError);
    file.add("output-limit", spec.outputLimit);
    file.list("ulimit", spec.ulimits);
    if (spec.timeLimit.count() > 0)
        file.duration("time-limit", spec.timeLimit);
    file.duration("grace", spec.killGrace);
}

void addDependencies(File &file, const jobs::JobSpec &spec)
{
    using Kind = Dependency::Kind;
    constexpr std::pair<const char *, Kind> Fields[] = {
        {"after", Kind::Begun}, {"after-ok", Kind::Ok}, {"after-fail", Kind::Failed}, {"after-any", Kind::Any}};
    for (const auto &[field, kind] : Fields) {
        QStringList ids;
        for (const Dependency &dependency : spec.after) {
            if (dependency.kind == kind)
                ids.append(dependency.on.toString());
        }
        file.list(field, ids);
    }
    file.flag("singleton", spec.singleton);
    file.flag("hold", !spec.heldBy.isEmpty());
    file.text("start-at", formatTime(spec.notBefore));
}

} // namespace

QJsonObject jobFileJson(const jobs::JobSpec &spec)
{
    File file;
    addProcess(file, spec);
    addDependencies(file, spec);
    addRetries(file, spec.retry);
    file.text("name", spec.name);
    file.text("queue", QString::fromLatin1(spec.queue));
    file.add("priority", spec.priority);
    file.list("tag", spec.tags);
    file.text("dedupe", spec.dedupe);
    file.add("attempts", spec.maxAttempts);
    file.add("slots", spec.needs.slots);
    file.count("memory", spec.needs.memory);
    file.list("label", spec.needs.labels);
    file.count("gang", spec.gang);
    if (spec.array && spec.gang == 0) // a gang's is made of its width
        file.text("array", spec.array->toString());
    file.list("lock", spec.locks);
    file.list("lock-shared", spec.sharedLocks);
    file.list("limit", spec.limits);
    return file.fields();
}

} // namespace drover::app
