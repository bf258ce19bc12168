#include "jobs/model/job_spec.h"

#include "jobs/model/gang.h"
#include "jobs/model/output_path.h"
#include "jobs/model/resource_limit.h"
#include "text/name.h"
#include "text/printable.h"

#include <QDateTime>
#include <QDir>

#include <algorithm>

namespace drover::jobs {

using namespace std::chrono_literals;

namespace {

constexpr const char *PriorityOfResubmit = "priority"; // elsewhere it is in the node's name

QString indicesText(const std::optional<ArrayIndices> &array)
{
    return array ? array->toString() : QString();
}

std::optional<ArrayIndices> indicesFrom(const QString &text)
{
    return text.isEmpty() ? std::nullopt : std::optional(arrayFrom(text));
}

[[noreturn]] void refuse(const char *field, const QString &objection)
{
    throw Malformed(QStringLiteral("field \"%1\": %2").arg(QLatin1String(field), objection));
}

// Each must be the name of a znode.
void requireNames(const char *field, const QStringList &names)
{
    for (const QString &name : names) {
        if (!text::isLockName(name))
            refuse(field, QStringLiteral("nothing can be called \"%1\"").arg(name));
    }
}

void requirePath(const char *field, const QString &path)
{
    if (const QString objection = objectionTo(path); !path.isEmpty() && !objection.isEmpty())
        refuse(field, objection);
}

bool isVariable(const QString &name)
{
    const auto isPlain = [](QChar c) { return c == u'_' || (c < QChar(128) && c.isLetterOrNumber()); };
    return !name.isEmpty() && name.size() <= 128 && !name.front().isDigit()
        && std::all_of(name.begin(), name.end(), isPlain);
}

} // namespace

QString objectionToSecret(const QString &name, const QString &reference)
{
    if (!isVariable(name) || name.startsWith(u"DROVER_"))
        return QStringLiteral("no secret can be in a variable called \"%1\"").arg(text::printable(name));
    const QString path = reference.mid(SecretInFile.size());
    const bool isFile = reference.startsWith(SecretInFile) && path.startsWith(u'/') && path.size() > 1
        && path.size() <= 4096 && QDir::cleanPath(path) == path && !path.contains(QChar::Null);
    if (isFile || (reference.startsWith(SecretInVariable) && isVariable(reference.mid(SecretInVariable.size()))))
        return {};
    return QStringLiteral("secret %1 is at no place of a worker; give file:/absolute/path or env:VARIABLE").arg(name);
}

template <class Fields, class Record>
void JobSpec::fields(Fields &each, Record &job)
{
    each("cmd", job.command);
    each("env", job.environment);
    each("secrets", job.secrets);
    each("dir", job.directory);
    each("run_as", job.runAs);
    each("stdin", job.input);
    each("stdout", job.standardOutput);
    each("stderr", job.standardError);
    each("append", job.appendTo);
    each("name", job.name);
    each("comment", job.comment);
    each("attempts", job.maxAttempts, {1, 1000});
    each("retries", job.retry.limit, {0, RetryPolicy::MaxLimit});
    each("retry_on", job.retry.codes, {0, 255});
    if (job.retry.limit > 0) {
        each("backoff_ms", job.retry.firstDelay);
        each("backoff_max_ms", job.retry.longestDelay);
    }
    each("slots", job.needs.slots, {1, MaxSlots, 1});
    each("memory", job.needs.memory, {0, qint64(1) << 50});
    each("labels", job.needs.labels);
    each.as("after", job.after, toStrings, dependenciesFrom);
    each("singleton", job.singleton);
    each.as("array", job.array, indicesText, indicesFrom);
    each("array_count", job.arrayCount, {0, ArrayIndices::MaxCount});
    each("gang", job.gang, {0, MaxGang});
    each("locks", job.locks);
    each("shared_locks", job.sharedLocks);
    each("limits", job.limits);
    each("tags", job.tags);
    each("ulimits", job.ulimits);
    each("limit_ms", job.timeLimit);
    each("grace_ms", job.killGrace);
    each("output", job.outputLimit, {0, qint64(1) << 50});
    each("by", job.submitter);
    each("dedupe", job.dedupe);
    each("key", job.key);
    each("at_ms", job.submittedAt);
    each("queue", job.terms.queue);
    each("signed_ms", job.terms.signedAt);
    each("not_before_ms", job.terms.notBefore);
    each("start_by_ms", job.terms.startBy);
}

void JobSpec::requireValid() const
{
    if (command.isEmpty() || command.front().isEmpty())
        throw Malformed(QStringLiteral("field \"cmd\" names no program"));
    if (!runAs.isEmpty())
        requireNames("run_as", {runAs});
    if (secrets.size() > MaxSecrets)
        refuse("secrets", QStringLiteral("%1 are too many").arg(secrets.size()));
    for (const auto &[variable, reference] : secrets) {
        if (const QString objection = objectionToSecret(variable, reference); !objection.isEmpty())
            refuse("secrets", objection);
    }
    requirePath("stdout", standardOutput);
    requirePath("stderr", standardError);
    requireNames("locks", locks);
    requireNames("shared_locks", sharedLocks);
    requireNames("limits", limits);
    for (const QString &limit : ulimits) {
        if (!ResourceLimit::parse(limit))
            refuse("ulimits", QStringLiteral("\"%1\" is not a limit").arg(limit));
    }
}

JobRecord JobSpec::record() const
{
    JobRecord record;
    record.text = encodeRecord(*this);
    if (record.text.size() > MaxSize)
        throw SpecTooLarge(record.text.size(), MaxSize);
    record.setNotes(recordToJson(notes));
    return record;
}

JobSpec JobSpec::decode(const QByteArray &stored, const QByteArray &queue, int priority)
{
    return decode(JobRecord::parse(stored), queue, priority);
}

JobSpec JobSpec::decode(const JobRecord &record, const QByteArray &queue, int priority)
{
    const JobNotes notes = decodeRecord<JobNotes>(record.notes());
    const JsonFields text(record.text);
    JobSpec spec = record.isOfSchedule() ? ofTick(text, notes.tick, queue, priority) : from(text, queue, priority);
    spec.notes = notes;
    if (spec.notes.ready) {
        spec.notes.wasSingleton |= spec.singleton;
        spec.singleton = false;
        spec.after.clear();
    }
    if (spec.gang > 0 && record.notes().has(GangRounds::Field))
        spec.array = GangSize{spec.gang}.upTo(GangRounds::of(record).round);
    if (spec.notes.index >= 0)
        spec.becomeTask();
    return spec;
}

JobSpec JobSpec::ofTick(const JsonFields &schedule, std::chrono::milliseconds tick, const QByteArray &queue,
                        int priority)
{
    JobSpec spec = from(JsonFields(schedule.nested("spec")), queue, priority);
    spec.key = keyOfTick(schedule.string("name"), tick);
    spec.submittedAt = tick;
    return spec;
}

QString JobSpec::keyOfTick(const QString &schedule, std::chrono::milliseconds tick)
{
    const QDateTime time = QDateTime::fromMSecsSinceEpoch(tick.count(), Qt::UTC);
    return QStringLiteral("cron %1 %2").arg(schedule, time.toString(Qt::ISODateWithMs));
}

// The array's waits are over, and its key finds the array alone.
void JobSpec::becomeTask()
{
    ofArray = std::exchange(array, std::nullopt);
    key.clear();
    after.clear();
    singleton = false;
    if (gang > 0)
        retry = {}; // the gang is retried as a whole
    else if (arrayCount == 0 && ofArray) // otherwise the array repeats some tasks of another one, and has its count
        arrayCount = ofArray->count();
}

QJsonObject JobSpec::toJson() const
{
    return recordToJson(*this);
}

JobSpec JobSpec::fromJson(const QJsonObject &text, const QByteArray &queue, int priority)
{
    return from(JsonFields(text), queue, priority);
}

JobSpec JobSpec::from(const JsonFields &stored, const QByteArray &queue, int priority)
{
    JobSpec spec;
    fields(stored, spec);
    spec.killGrace = std::min<std::chrono::milliseconds>(spec.killGrace, MaxKillGrace);
    spec.requireValid();
    spec.queue = queue;
    spec.priority = priority;
    return spec;
}

QByteArray JobSpec::markReady(const QByteArray &stored)
{
    return noted(stored, [](JobNotes &all) {
        all.ready = true;
        all.notBefore = {};
    });
}

JobRecord JobSpec::asNew(const QByteArray &stored, const std::function<void(JobSpec &)> &change)
{
    JobRecord record = JobRecord::parse(stored);
    if (record.isOfSchedule()) { // it becomes a job of its own
        JobSpec spec = decode(record, {}, QueueEntry::DefaultPriority);
        change(spec);
        record.text = compactJson(spec.toJson());
    } else {
        record.text = compactJson(changedObject<JobSpec>(JsonFields(record.text), change));
    }
    record.signature.clear();
    record.certificate.clear();
    record.setNotes(changedObject<JobNotes>(record.notes(), [](JobNotes &all) { all = all.withoutClaims(); }));
    return record;
}

QJsonObject JobSpec::toResubmit() const
{
    JobSpec job = *this;
    job.submitter.clear();
    job.submittedAt = {};
    job.key.clear();
    job.dedupe.clear();
    job.after.clear();
    job.singleton |= job.notes.wasSingleton;
    job.terms = {};
    QJsonObject object = recordToJson(job);
    object.insert(QLatin1String(PriorityOfResubmit), priority);
    return object;
}

JobSpec JobSpec::repeating(const QJsonObject &job, const QByteArray &queue)
{
    const JsonFields stored(job);
    return from(stored, queue,
                static_cast<int>(stored.integer(PriorityOfResubmit, 0, MaxPriority, QueueEntry::DefaultPriority)));
}

QueueEntry::Class JobSpec::entryClass() const
{
    if (!notes.heldBy.isEmpty())
        return QueueEntry::Class::Held;
    if (waits())
        return QueueEntry::Class::Waiting;
    return array ? QueueEntry::Class::Array : QueueEntry::Class::Ready;
}

} // namespace drover::jobs
