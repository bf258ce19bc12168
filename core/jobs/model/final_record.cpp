#include "jobs/model/final_record.h"

#include <QJsonArray>
#include <QJsonDocument>

#include <algorithm>
#include <array>

namespace drover::jobs {

namespace {

constexpr qsizetype MaxText = 1024; // characters of each text in a record; JSON may need six bytes for one
constexpr qsizetype MaxKey = 64;
constexpr qsizetype ShortTail = 1024; // where the job would not fit otherwise
constexpr const char *Command = "cmd"; // these as JobSpec calls them
constexpr const char *Name = "name";
constexpr const char *Tags = "tags";
constexpr const char *Array = "array";
constexpr const char *Tick = "tick_ms"; // as JobNotes calls it

constexpr std::array<const char *, 8> OutcomeNames{"exited",    "signalled", "timed-out", "not-started",
                                                   "cancelled", "gave-up",   "malformed", "refused"};

FinalRecord::Outcome outcomeOf(const QString &name)
{
    for (std::size_t i = 0; i < OutcomeNames.size(); ++i) {
        if (name == QLatin1String(OutcomeNames[i]))
            return static_cast<FinalRecord::Outcome>(i);
    }
    throw Malformed(QStringLiteral("unknown outcome \"%1\"").arg(name));
}

// Keeps the beginning of a list, so that a record stays small whatever was run.
QStringList cut(const QStringList &texts, qsizetype limit)
{
    QStringList kept;
    qsizetype size = 0;
    for (const QString &text : texts) {
        if (size + text.size() > limit) {
            kept.append(text.left(std::max<qsizetype>(0, limit - size)) + QChar(0x2026));
            break;
        }
        size += text.size() + 1;
        kept.append(text);
    }
    return kept;
}

FinalRecord shortened(FinalRecord record, qsizetype textLimit, qsizetype tailLimit)
{
    record.reason.truncate(textLimit);
    record.name.truncate(textLimit);
    record.command = cut(record.command, textLimit);
    record.submitter.truncate(textLimit);
    record.tags = cut(record.tags, textLimit);
    record.key.truncate(MaxKey);
    record.worker.truncate(MaxKey); // no worker of ours has a name so long
    record.tail = record.tail.right(tailLimit);
    return record;
}

QString base64(const QByteArray &bytes)
{
    return QString::fromLatin1(bytes.toBase64());
}

QByteArray fromBase64(const QString &text)
{
    return QByteArray::fromBase64(text.toLatin1());
}

// What the record does not say anyway.
QJsonObject withoutWhole(const JobSpec &spec)
{
    QJsonObject job = spec.toResubmit();
    if (cut(spec.command, MaxText) == spec.command)
        job.remove(QLatin1String(Command));
    if (cut(spec.tags, MaxText) == spec.tags)
        job.remove(QLatin1String(Tags));
    if (spec.name.size() <= MaxText)
        job.remove(QLatin1String(Name));
    return job;
}

} // namespace

QString outcomeName(FinalRecord::Outcome outcome)
{
    return QLatin1String(OutcomeNames[static_cast<std::size_t>(outcome)]);
}

FinalRecord FinalRecord::of(const JobId &id, const JobSpec &spec)
{
    FinalRecord record;
    record.id = id;
    record.name = spec.title();
    record.command = spec.command;
    record.submitter = spec.submitter;
    record.tags = spec.tags;
    record.key = spec.key;
    record.submittedAt = spec.submittedAt;
    if (!id.isTask() && !spec.command.isEmpty())
        record.repeat = withoutWhole(spec);
    return record;
}

FinalRecord FinalRecord::withoutRun(const JobId &id, const JobSpec &spec, Outcome outcome, const QString &reason,
                                    qint32 version, std::chrono::milliseconds finishedAt)
{
    FinalRecord record = of(id, spec);
    record.outcome = outcome;
    record.reason = reason;
    record.attempts = spec.attempts(version);
    record.finishedAt = finishedAt;
    return record;
}

FinalRecord FinalRecord::ofNeverMade(const JobId &task, const JobSpec &array, std::chrono::milliseconds finishedAt)
{
    return withoutRun(task, array, Outcome::Cancelled, QStringLiteral("cancelled before it was made"), 0, finishedAt);
}

QString FinalRecord::submittedIndices() const
{
    QJsonObject job = repeat;
    if (const std::optional<JobRecord> record = signedJob()) {
        job = QJsonDocument::fromJson(record->text).object();
        if (record->isOfSchedule())
            job = job[u"spec"].toObject();
    }
    return job[QLatin1String(Array)].toString();
}

std::vector<FinalRecord> FinalRecord::neverMadeTasks(qint32 first, qint32 last) const
{
    std::vector<FinalRecord> tasks;
    const std::optional<ArrayIndices> indices =
        neverMade.empty() || id.isTask() ? std::nullopt : ArrayIndices::parse(submittedIndices());
    if (!indices)
        return tasks;
    FinalRecord task = ofNeverMade({}, JobSpec(), finishedAt);
    task.name = name;
    task.command = command;
    task.submitter = submitter;
    task.tags = tags;
    task.key = key;
    task.submittedAt = submittedAt;
    const qint32 begin = indices->countBelow(first);
    const qint32 end = std::min(indices->countBelow(qint64(last) + 1), indices->count());
    for (const auto &[from, to] : neverMade.ranges()) {
        for (qint32 place = std::max(from, begin); place <= to && place < end; ++place) {
            task.id = {id.queue, id.number, indices->at(place)};
            tasks.push_back(task);
        }
    }
    return tasks;
}

JobState FinalRecord::state() const
{
    if (outcome == Outcome::Cancelled)
        return JobState::Cancelled;
    return outcome == Outcome::Exited && code == 0 ? JobState::Succeeded : JobState::Failed;
}

int FinalRecord::exitCode() const
{
    switch (outcome) {
    case Outcome::Exited:
    case Outcome::NotStarted:
        return code;
    case Outcome::Signalled:
        return 128 + signal;
    case Outcome::TimedOut:
        return 124;
    case Outcome::Cancelled:
        return signal ? 128 + signal : 125;
    case Outcome::GaveUp:
    case Outcome::Malformed:
    case Outcome::Refused:
        return 125;
    }
    return 125;
}

template <class Fields, class Record>
void FinalRecord::fields(Fields &each, Record &record)
{
    each.as("outcome", record.outcome, outcomeName, outcomeOf);
    each("code", record.code, {0, 255});
    each("signal", record.signal, {0, 127});
    each("reason", record.reason);
    each("attempt", record.attempts.claimVersion, {0, 1 << 30});
    each("unbegun", record.attempts.notStarted, {0, 1 << 30});
    each("worker", record.worker);
    each(Name, record.name);
    each(Command, record.command);
    each("by", record.submitter);
    each(Tags, record.tags);
    each("key", record.key);
    each("submitted_ms", record.submittedAt);
    each("started_ms", record.startedAt);
    each("finished_ms", record.finishedAt);
    each("cpu_ms", record.cpuTime);
    each("peak", record.peakMemory);
    each("failed_tasks", record.failedTasks, {0, ArrayIndices::MaxCount});
    each.as(
        "never_made", record.neverMade, [](const PlaceSet &places) { return places.toString(); },
        [](const QString &text) { return PlaceSet::parse(text, "never_made", ArrayIndices::MaxCount); });
    each.as("moved_to", record.movedTo, idText, JobId::parse);
    each("output", record.outputBytes);
    each("truncated", record.outputTruncated);
    each.as("tail", record.tail, base64, fromBase64);
    each("repeat", record.repeat);
    each("signed", record.proof);
}

QByteArray FinalRecord::encode() const
{
    QByteArray bytes = encodeRecord(shortened(*this, MaxText, MaxTail));
    if (bytes.size() > MaxSize) // the output itself is still where the job ran
        bytes = encodeRecord(shortened(*this, MaxText, ShortTail));
    FinalRecord withoutJob = *this;
    withoutJob.repeat = {};
    withoutJob.proof = {};
    for (qsizetype limit = MaxText; bytes.size() > MaxSize; limit /= 2)
        bytes = encodeRecord(shortened(withoutJob, limit, MaxTail));
    return bytes;
}

FinalRecord FinalRecord::decode(const QByteArray &bytes, const JobId &id)
{
    FinalRecord record = decodeRecord<FinalRecord>(bytes);
    requireNodeName("worker", record.worker);
    record.id = id;
    return record;
}

void FinalRecord::keepSigned(const QByteArray &stored, int priority)
{
    if (repeat.isEmpty())
        return; // a task, whose array has it
    const std::optional<JobRecord> job = tryParse(stored);
    if (!job || !job->isSigned())
        return;
    proof = {{QStringLiteral("job"), QString::fromUtf8(job->text)},
             {QStringLiteral("sig"), QString::fromLatin1(job->signature)},
             {QStringLiteral("cert"), QString::fromLatin1(job->certificate)},
             {QStringLiteral("priority"), priority}};
    if (job->isOfSchedule())
        proof.insert(QLatin1String(Tick), job->notes().object()[QLatin1String(Tick)]);
    repeat = {};
}

std::optional<JobRecord> FinalRecord::signedJob() const
{
    if (proof.isEmpty())
        return std::nullopt;
    JobRecord job;
    job.text = proof[u"job"].toString().toUtf8();
    job.signature = proof[u"sig"].toString().toLatin1();
    job.certificate = proof[u"cert"].toString().toLatin1();
    if (proof.contains(QLatin1String(Tick)))
        job.setNotes(versioned({{QLatin1String(Tick), proof[QLatin1String(Tick)]}}));
    return job;
}

std::optional<JobSpec> FinalRecord::jobToResubmit() const
{
    if (const std::optional<JobRecord> job = signedJob())
        return JobSpec::repeating(JobSpec::decode(*job, id.queue, proof[u"priority"].toInt()).toResubmit(), id.queue);
    if (repeat.isEmpty())
        return std::nullopt;
    QJsonObject job = repeat;
    const auto complete = [&job](const char *field, const QJsonValue &whole) {
        if (!job.contains(QLatin1String(field)))
            job.insert(QLatin1String(field), whole);
    };
    complete(Command, QJsonArray::fromStringList(command));
    complete(Tags, QJsonArray::fromStringList(tags));
    complete(Name, name == command.value(0) ? QString() : name);
    return JobSpec::repeating(job, id.queue);
}

} // namespace drover::jobs
