#include "gui/inspector/attempts.h"

#include "gui/inspector/entity_facts.h"
#include "gui/models/job_model.h"
#include "gui/text/format.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QCoreApplication>

#include <algorithm>

namespace drover::gui {

using jobs::FinalRecord;
using End = SeenAttempt::End;

namespace {

struct Attempts {
    Q_DECLARE_TR_FUNCTIONS(Facts)
};

int numberOf(const jobs::JobView &job)
{
    if (job.record)
        return job.record->attempts.number();
    return job.claim ? job.claim->attempts.number() : job.attempts;
}

QString endText(const SeenAttempt &attempt)
{
    switch (attempt.end) {
    case End::Failed:
        return Attempts::tr("failed with code %1, and was to be tried again").arg(attempt.code);
    case End::Lost:
        return Attempts::tr("was lost with its worker, or given back");
    case End::None:
    case End::Unknown:
    case End::Succeeded:
    case End::Ended:
        break;
    }
    return Attempts::tr("ended, and another followed");
}

// The last one: the cluster or the record knows it.
Attempt lastOf(const jobs::JobView &job, int number)
{
    Attempt attempt{.first = number, .last = number};
    if (job.record) {
        attempt.worker = job.record->worker;
        attempt.begun = job.record->startedAt.count();
        attempt.ended = job.record->finishedAt.count();
        attempt.tone = jobStateTone(job.state);
        attempt.outcome = outcomeText(*job.record);
    } else if (job.state == jobs::JobState::Running) {
        attempt.worker = job.claim ? job.claim->worker : QString();
        attempt.begun = job.since.count();
        attempt.tone = Tone::Busy;
        attempt.outcome = Attempts::tr("runs");
    }
    return attempt;
}

// Of attempts that this console has not seen. The cluster counts those that failed while the job is unfinished.
QString unseenText(const jobs::JobView &job)
{
    const int failed = job.spec ? job.spec->notes.failed : 0;
    const QString why = Attempts::tr("not seen by this console, and the cluster keeps only the last");
    return failed == 0 ? why
                       : Attempts::tr("%1; %2 failed so far, the latest with code %3", "not seen, count, code")
                             .arg(why)
                             .arg(failed)
                             .arg(job.spec->notes.failedCode);
}

QString lineOf(const Attempt &attempt)
{
    if (!attempt.isKnown())
        return attempt.outcome.isEmpty() ? Attempts::tr("has not begun") : attempt.outcome;
    const QString begun = formatInstant(attempt.begun).section(u'.', 0, 0);
    if (attempt.ended == 0)
        return Attempts::tr("%1: %2", "since, outcome").arg(begun, attempt.outcome);
    const std::chrono::milliseconds ran(std::max<qint64>(0, attempt.ended - attempt.begun));
    return Attempts::tr("%1, for %2: %3", "since, duration, outcome")
        .arg(begun, text::formatDuration(ran), attempt.outcome);
}

} // namespace

QString outcomeText(const FinalRecord &record)
{
    switch (record.outcome) {
    case FinalRecord::Outcome::Exited:
        return Attempts::tr("exited with code %1").arg(record.code);
    case FinalRecord::Outcome::Signalled:
        return Attempts::tr("killed by signal %1").arg(record.signal);
    case FinalRecord::Outcome::TimedOut:
        return Attempts::tr("ran over its time limit");
    case FinalRecord::Outcome::NotStarted:
        return Attempts::tr("could not be started (code %1)").arg(record.code);
    case FinalRecord::Outcome::Cancelled:
        return Attempts::tr("cancelled");
    case FinalRecord::Outcome::GaveUp:
        return Attempts::tr("given up: every attempt was lost with its worker");
    case FinalRecord::Outcome::Refused:
        return Attempts::tr("refused");
    case FinalRecord::Outcome::Malformed:
        return Attempts::tr("its specification could not be read");
    }
    return {};
}

std::vector<Attempt> attemptsOf(const jobs::JobView &job, const std::vector<SeenAttempt> &seen)
{
    const int number = isArray(job) ? 0 : numberOf(job);
    std::vector<Attempt> attempts;
    const auto add = [&attempts](const Attempt &attempt) {
        if (!attempts.empty() && !attempts.back().isKnown() && !attempt.isKnown())
            attempts.back().last = attempt.last;
        else
            attempts.push_back(attempt);
    };
    for (int i = 1; i <= number; ++i) {
        Attempt last = i == number ? lastOf(job, number) : Attempt{.first = i, .last = i};
        const auto its = std::ranges::find_if(seen, [i](const SeenAttempt &one) { return one.number == i; });
        if (last.isKnown() || its == seen.end()) {
            if (!last.isKnown())
                last.outcome = unseenText(job);
            add(last);
            continue;
        }
        const Tone tone = its->end == End::Failed ? Tone::Bad : Tone::Waiting;
        add({i, i, its->worker, its->begun, its->ended, tone, endText(*its)});
    }
    // The end was seen by this machine's clock, which may be ahead, and late: none goes on while the next one runs.
    for (std::size_t i = 1; i < attempts.size(); ++i) {
        if (attempts[i].isKnown() && attempts[i - 1].ended > attempts[i].begun)
            attempts[i - 1].ended = std::max(attempts[i - 1].begun, attempts[i].begun);
    }
    return attempts;
}

QString textOf(const Attempt &attempt)
{
    const QString text = attempt.first == attempt.last
        ? Attempts::tr("Attempt %1: %2").arg(attempt.first).arg(lineOf(attempt))
        : Attempts::tr("Attempts %1 to %2: %3").arg(attempt.first).arg(attempt.last).arg(lineOf(attempt));
    return attempt.worker.isEmpty() ? text : text + u'\n' + text::printable(attempt.worker);
}

void addAttempts(Facts &facts, const std::vector<Attempt> &attempts)
{
    if (attempts.empty() || attempts.back().last < 2)
        return;
    facts.begin(Attempts::tr("Attempts"));
    for (const Attempt &attempt : attempts) {
        const QString name = attempt.first == attempt.last
            ? QString::number(attempt.first)
            : Attempts::tr("%1 to %2", "attempts").arg(attempt.first).arg(attempt.last);
        const QList<EntityRef> worker = attempt.worker.isEmpty()
            ? QList<EntityRef>()
            : QList<EntityRef>{{EntityRef::Kind::Worker, attempt.worker.toUtf8()}};
        facts.add(name, lineOf(attempt), worker, attempt.tone == Tone::Bad ? Tone::Bad : Tone::Plain);
    }
}

} // namespace drover::gui
