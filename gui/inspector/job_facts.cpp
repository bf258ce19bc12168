#include "gui/data/line_name.h"
#include "gui/inspector/attempts.h"
#include "gui/inspector/entity_facts.h"
#include "gui/models/job_model.h"
#include "gui/models/job_verbs.h"
#include "gui/models/submit_form.h"
#include "gui/models/wait_model.h"
#include "gui/shell/gateway.h"
#include "gui/text/format.h"
#include "gui/text/shell_words.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QCoreApplication>

namespace drover::gui {

using jobs::FinalRecord;

namespace {

struct JobFacts {
    Q_DECLARE_TR_FUNCTIONS(Facts)
};

QString printed(const QString &text)
{
    return text::printable(text, text::LineEnds::Keep);
}

EntityRef entityOf(const jobs::JobId &job)
{
    return {EntityRef::Kind::Job, job.bytes()};
}

QList<EntityRef> workerLink(const QString &worker)
{
    return worker.isEmpty() ? QList<EntityRef>() : QList<EntityRef>{{EntityRef::Kind::Worker, worker.toUtf8()}};
}

// A claimed job that waits for a lock does not run yet; another client may hold that lock for hours.
void addClaim(Facts &facts, const jobs::JobView &job)
{
    const bool runs = job.state == jobs::JobState::Running;
    facts.add(JobFacts::tr("Worker"), {}, workerLink(job.claim->worker));
    facts.add(JobFacts::tr("Waits for"),
              job.claim->waits.isEmpty() && !runs ? JobFacts::tr("its turn there") : printed(job.claim->waits));
    facts.addInstant(runs ? JobFacts::tr("Running since") : JobFacts::tr("There since"), job.since.count());
    if (runs)
        facts.add(JobFacts::tr("Attempt"),
                  job.spec ? JobFacts::tr("%1 of %2").arg(job.claim->attempts.number()).arg(job.spec->maxAttempts)
                           : QString::number(job.claim->attempts.number()));
}

void addRecord(Facts &facts, const FinalRecord &record)
{
    facts.add(JobFacts::tr("Outcome"), outcomeText(record));
    facts.add(JobFacts::tr("Reason"), printed(record.reason));
    facts.add(JobFacts::tr("Worker"), {}, workerLink(record.worker));
    if (record.startedAt.count() != 0)
        facts.add(JobFacts::tr("Ran"),
                  JobFacts::tr("%1, for %2")
                      .arg(formatInstant(record.startedAt.count()),
                           text::formatDuration(record.finishedAt - record.startedAt)));
    if (record.peakMemory > 0)
        facts.add(JobFacts::tr("Used"),
                  JobFacts::tr("%1 of CPU time, %2 of memory at most")
                      .arg(text::formatDuration(record.cpuTime), text::formatSize(record.peakMemory)));
    if (record.movedTo)
        facts.add(JobFacts::tr("Moved to"), {}, {entityOf(*record.movedTo)});
}

// A lock of the job without a ticket is listed as well.
void addLocks(Facts &facts, const Sources &sources, const jobs::JobView &job)
{
    QByteArrayList seen;
    for (const LockRow &row : sources.waits.rows()) {
        if (row.place >= 0 && jobOf(row) == entityOf(job.id))
            seen << row.lock;
    }
    const bool isSeen = !seen.isEmpty();
    addLocksOf(facts, sources, [&](const LockRow &row) { return jobOf(row) == entityOf(job.id); });
    if (!job.spec)
        return;
    const auto addNeeded = [&](const QStringList &names, LineKind kind) {
        for (const QString &name : names) {
            const QByteArray lock = lineName(kind, name.toUtf8());
            if (seen.contains(lock))
                continue;
            if (!isSeen && (facts.sections.isEmpty() || facts.sections.back().title != JobFacts::tr("Locks")))
                facts.begin(JobFacts::tr("Locks"));
            facts.add(JobFacts::tr("Needs"), {}, {{EntityRef::Kind::Lock, lock}});
        }
    };
    addNeeded(job.spec->locks, LineKind::Lock);
    addNeeded(job.spec->sharedLocks, LineKind::Lock);
    addNeeded(job.spec->limits, LineKind::Limit);
}

void addDependencies(Facts &facts, const Sources &sources, const jobs::JobView &job)
{
    const bool hasSome = job.id.isTask() || (job.spec && (!job.spec->after.empty() || job.spec->singleton));
    if (!hasSome)
        return;
    facts.begin(JobFacts::tr("Depends on"));
    if (job.id.isTask())
        facts.add(JobFacts::tr("Task of"), {}, {entityOf(job.id.array())});
    if (job.spec && job.spec->singleton)
        facts.add(JobFacts::tr("Singleton"), JobFacts::tr("all earlier jobs of this name"));
    for (const jobs::Dependency &one : job.spec ? job.spec->after : std::vector<jobs::Dependency>()) {
        const JobRow *const other = sources.jobs.find(one.on);
        facts.add(JobFacts::tr("After"),
                  other ? JobFacts::tr("%1; it is %2 now", "dependency, state")
                              .arg(one.toString(), jobStateText(other->state).toLower())
                        : one.toString(),
                  {entityOf(one.on)}, other ? jobStateTone(other->state) : Tone::Plain);
    }
}

void addSubmitted(Facts &facts, const jobs::JobView &job)
{
    const std::optional<jobs::JobSpec> spec = specOf(job);
    const std::optional<FinalRecord> &record = job.record;
    if (!spec && !record)
        return;
    facts.begin(JobFacts::tr("Submitted as"));
    facts.add(JobFacts::tr("Name"), printed(job.spec ? job.spec->title() : record ? record->name : QString()));
    facts.add(JobFacts::tr("Comment"), spec ? printed(spec->comment) : QString());
    facts.add(JobFacts::tr("Command"), printed(joinShellWords(record ? record->command : spec->command)));
    facts.add(JobFacts::tr("Queue"), {}, {{EntityRef::Kind::Queue, job.id.queue}});
    facts.add(JobFacts::tr("Priority"), job.spec ? QString::number(job.spec->priority) : QString());
    facts.add(JobFacts::tr("Options"), spec ? printed(SubmitForm::of(*spec).otherParts().join(u", ")) : QString());
    facts.add(JobFacts::tr("Directory"), spec ? printed(spec->directory) : QString());
    facts.add(JobFacts::tr("Time limit"),
              !spec || spec->timeLimit.count() == 0 ? QString() : text::formatDuration(spec->timeLimit));
    facts.addInstant(JobFacts::tr("At"), (record ? record->submittedAt : spec->submittedAt).count());
    facts.add(JobFacts::tr("By"), printed(record ? record->submitter : spec->submitter));
    QStringList lines; // one name=value a line
    for (const auto &[name, value] : spec ? spec->environment : jobs::Environment())
        lines << text::printable(name + u'=' + value);
    facts.addLong(JobFacts::tr("Environment"), lines.join(u'\n'));
}

QList<Offer> offersOf(const jobs::JobView &job)
{
    QList<Offer> offers;
    if (job.record)
        offers << Offer{"repeat", JobFacts::tr("Submit again…"), Gateway::toSubmit()};
    if (isArray(job) && (job.record ? job.record->failedTasks : job.progress ? job.progress->failed : 0) > 0)
        offers.prepend({"repeat-failed", JobFacts::tr("Submit what has failed again…"), Gateway::toSubmit()});
    JobRow row;
    row.id = job.id;
    row.state = job.state;
    row.progress = isArray(job) ? QStringLiteral("array") : QString();
    for (const JobVerb::Kind kind : jobVerbs()) {
        if (JobVerb{kind}.suits(row) && kind == JobVerb::Kind::Cancel)
            offers.prepend({nameOf(kind), titleOf(kind) + u'…', Gateway::toDo(kind)});
        else if (JobVerb{kind}.suits(row))
            offers << Offer{nameOf(kind), titleOf(kind) + u'…', Gateway::toDo(kind)};
    }
    if (specOf(job))
        offers << Offer{"copy-command", JobFacts::tr("Copy as a command")};
    offers << Offer{"read-again", JobFacts::tr("Read it again")};
    return offers;
}

} // namespace

std::optional<jobs::JobSpec> specOf(const jobs::JobView &job)
{
    if (job.spec || !job.record)
        return job.spec;
    try {
        return job.record->jobToResubmit();
    } catch (const jobs::Malformed &) {
        return {}; // the rest of the record can be read
    }
}

bool isArray(const jobs::JobView &job)
{
    const std::optional<jobs::JobSpec> spec = specOf(job);
    return spec && spec->array && !job.id.isTask();
}

Facts jobFacts(const Sources &sources, const jobs::JobView &job, const QStringList &why)
{
    Facts facts{jobStateText(job.state), jobStateTone(job.state)};
    facts.begin({});
    facts.add(JobFacts::tr("Malformed"), printed(job.malformed), {}, Tone::Bad);
    facts.add(JobFacts::tr("Waits because"), printed(why.join(u'\n')), {}, Tone::Waiting);
    if (job.progress && job.spec && job.spec->array)
        facts.add(JobFacts::tr("Tasks"), job.progress->toString(job.spec->array->count()));
    if (job.record)
        addRecord(facts, *job.record);
    if (job.claim)
        addClaim(facts, job);
    const std::vector<Attempt> attempts = attemptsOf(job, sources.attempts.of(job.id));
    if (!attempts.empty() && job.state != jobs::JobState::Running)
        facts.add(JobFacts::tr("Attempts"), QString::number(attempts.back().last));
    addAttempts(facts, attempts);
    addLocks(facts, sources, job);
    addDependencies(facts, sources, job);
    addSubmitted(facts, job);
    facts.offers = offersOf(job);
    return facts;
}

} // namespace drover::gui
