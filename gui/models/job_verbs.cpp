#include "gui/models/job_verbs.h"

#include "gui/models/job_model.h"
#include "gui/text/counted.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QCoreApplication>

#include <algorithm>

namespace drover::gui {

namespace {

struct Verbs {
    Q_DECLARE_TR_FUNCTIONS(Verbs)
};

struct Words {
    JobVerb::Kind kind;
    const char *name;
    const char *title;
    const char *done;
    const char *consequence; // of several jobs
    const char *ofOne; // of one; null: the same
};

constexpr Words AllWords[] = {
    {JobVerb::Kind::Hold, "hold", QT_TRANSLATE_NOOP("Verbs", "Hold"), QT_TRANSLATE_NOOP("Verbs", "Held"),
     QT_TRANSLATE_NOOP("Verbs", "They do not run before they are released. Tasks that run go on."),
     QT_TRANSLATE_NOOP("Verbs", "It does not run before it is released. Tasks that run go on.")},
    {JobVerb::Kind::Release, "release", QT_TRANSLATE_NOOP("Verbs", "Release"), QT_TRANSLATE_NOOP("Verbs", "Released"),
     QT_TRANSLATE_NOOP("Verbs", "They run as soon as a worker has room."),
     QT_TRANSLATE_NOOP("Verbs", "It runs as soon as a worker has room.")},
    {JobVerb::Kind::Requeue, "requeue", QT_TRANSLATE_NOOP("Verbs", "Requeue"), QT_TRANSLATE_NOOP("Verbs", "Requeued"),
     QT_TRANSLATE_NOOP("Verbs",
                       "What runs is killed and goes back into its queue. That counts neither as a failure nor as an "
                       "attempt."),
     nullptr},
    {JobVerb::Kind::Move, "move", QT_TRANSLATE_NOOP("Verbs", "Move"), QT_TRANSLATE_NOOP("Verbs", "Moved"),
     QT_TRANSLATE_NOOP("Verbs",
                       "Each becomes a new job in the other queue. Under its old id it has ended as cancelled."),
     QT_TRANSLATE_NOOP("Verbs",
                       "It becomes a new job in the other queue. Under its old id it has ended as cancelled.")},
    {JobVerb::Kind::Priority, "priority", QT_TRANSLATE_NOOP("Verbs", "Change the priority of"),
     QT_TRANSLATE_NOOP("Verbs", "Priority changed"), QT_TRANSLATE_NOOP("Verbs", "0 is first, 9 is last."), nullptr},
    {JobVerb::Kind::Signal, "signal", QT_TRANSLATE_NOOP("Verbs", "Send a signal to"),
     QT_TRANSLATE_NOOP("Verbs", "Signalled"),
     QT_TRANSLATE_NOOP("Verbs", "All processes of the jobs that run get it once."),
     QT_TRANSLATE_NOOP("Verbs", "All processes of the job get it once.")},
    {JobVerb::Kind::Cancel, "cancel", QT_TRANSLATE_NOOP("Verbs", "Cancel"), QT_TRANSLATE_NOOP("Verbs", "Cancelled"),
     QT_TRANSLATE_NOOP("Verbs", "What runs is killed; what waits never runs. This cannot be undone."), nullptr},
};

const Words &wordsOf(JobVerb::Kind kind)
{
    return *std::find_if(std::begin(AllWords), std::end(AllWords),
                         [kind](const Words &words) { return words.kind == kind; });
}

} // namespace

QList<JobVerb::Kind> jobVerbs()
{
    QList<JobVerb::Kind> kinds;
    for (const Words &words : AllWords)
        kinds << words.kind;
    return kinds;
}

const char *nameOf(JobVerb::Kind kind)
{
    return wordsOf(kind).name;
}

QString titleOf(JobVerb::Kind kind)
{
    return Verbs::tr(wordsOf(kind).title);
}

QString jobsText(const QList<jobs::JobId> &jobs)
{
    return jobs.size() == 1 ? jobs.front().toString() : counted(jobs.size(), Things::Jobs);
}

QString questionOf(JobVerb::Kind kind, const QList<jobs::JobId> &jobs)
{
    return Verbs::tr("%1 %2?", "verb, jobs").arg(titleOf(kind), jobsText(jobs));
}

QString consequenceOf(JobVerb::Kind kind, bool ofOne)
{
    const Words &words = wordsOf(kind);
    return Verbs::tr(ofOne && words.ofOne ? words.ofOne : words.consequence);
}

QString refusalText(const QList<jobs::JobId> &jobs)
{
    return jobs.size() == 1 ? Verbs::tr("Leave it as it is") : Verbs::tr("Leave them as they are");
}

QString resultOf(JobVerb::Kind kind, const QList<ActedOn> &outcomes)
{
    const qint64 done = std::ranges::count_if(outcomes, [](const ActedOn &one) { return one.why.isEmpty(); });
    return Verbs::tr("%1: %2 of %3.", "what was done, count, jobs")
        .arg(Verbs::tr(wordsOf(kind).done), text::formatCount(done), counted(outcomes.size(), Things::Jobs));
}

QString describeSearch(const JobSearch &search)
{
    QStringList states;
    for (const jobs::JobState state : search.states)
        states << jobStateText(state).toLower();
    QStringList parts;
    if (!search.text.isEmpty())
        parts << Verbs::tr("fit “%1”").arg(text::printable(search.text));
    if (!states.isEmpty())
        parts << Verbs::tr("are %1", "states").arg(states.join(Verbs::tr(" or ")));
    return parts.isEmpty() ? Verbs::tr("of the cluster") : Verbs::tr("that %1").arg(parts.join(Verbs::tr(" and ")));
}

} // namespace drover::gui
