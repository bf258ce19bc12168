#include "app/cli/units.h"
#include "app/doctor/checks.h"
#include "text/quantity.h"

namespace drover::app {

using Level = Finding::Level;
using jobs::WorkerInfo;

namespace {

QString progressOf(const jobs::ClusterStats::Archive &archive)
{
    if (!archive.backlog)
        return QStringLiteral("the master is new and looks what is in it");
    if (*archive.backlog == 0)
        return QStringLiteral("every final record is in it");
    return QStringLiteral("%1 not in it yet").arg(text::formatCount(*archive.backlog, "record", "records"));
}

// What is left of "the history X fails: why" behind the subject "history X".
QString withoutSubject(const QString &error, const QString &subject)
{
    const QString prefix = QStringLiteral("the %1 fails: ").arg(subject);
    return error.startsWith(prefix) ? error.mid(prefix.size()) : error;
}

} // namespace

// A history in a file belongs to one machine, unless all of them see that file.
void checkHistoryPlaces(const DescribedWorkers &pool, Findings &findings)
{
    QSet<QString> files; // of single machines
    QSet<QString> places; // for all machines
    bool someKeepNone = false;
    bool someKeepOne = false;
    for (const WorkerInfo &worker : pool.workers) {
        (worker.history.isEmpty() ? someKeepNone : someKeepOne) = true;
        if (worker.history.startsWith(u"postgresql:") || worker.history.startsWith(u"shared:"))
            places.insert(worker.history);
        else if (!worker.history.isEmpty())
            files.insert(worker.history);
    }
    const QString subject = QStringLiteral("history");
    const QString one =
        QStringLiteral("keep one for all: drover history keep --in postgresql://..., or shared:/FILE on storage that "
                       "all of them see, and start the workers again without --history");
    if (files.size() > 1)
        findings.append({Level::Warning, subject,
                         QStringLiteral("workers would keep it in %1 files, each a part: a master does not know what "
                                        "another has archived, and jobs that wait for such a job go on waiting")
                             .arg(files.size()),
                         one});
    if (places.size() > 1 || (!places.isEmpty() && !files.isEmpty()))
        findings.append({Level::Warning, subject,
                         QStringLiteral("workers keep it in different places: each holds what one of them has "
                                        "archived as master"),
                         one});
    if (someKeepNone && someKeepOne)
        findings.append({Level::Warning, subject,
                         QStringLiteral("some workers keep one and some do not: it has gaps when those are master"),
                         QStringLiteral("start all workers with the same --history")});
    if (someKeepNone && !someKeepOne)
        findings.append({Level::Warning, subject, QStringLiteral("none is kept: the oldest records are deleted"),
                         QStringLiteral("say where with drover history keep --in, and start the workers again")});
}

void checkArchive(const jobs::ClusterStats::Archive &archive, Findings &findings)
{
    const QString subject = QStringLiteral("history ") + archive.history;
    if (!archive.error.isEmpty())
        findings.append(
            {Level::Problem, subject,
             QStringLiteral("fails since %1: %2; %3")
                 .arg(formatTime(archive.failingSince), withoutSubject(archive.error, subject),
                      text::formatCount(archive.backlog.value_or(0), "record waits", "records wait")),
             QStringLiteral("mend the database: jobs go on until done_limit records wait in ZooKeeper, then "
                            "claims pause")});
    if (archive.pausedSince.count() > 0)
        findings.append({Level::Problem, QStringLiteral("claims"),
                         QStringLiteral("no job is claimed since %1: too many records wait for the history")
                             .arg(formatTime(archive.pausedSince)),
                         QStringLiteral("mend the database, and claims go on by themselves; to lose the oldest records "
                                        "instead: drover history keep --when-away drop")});
    if (archive.lost > 0)
        findings.append({Level::Problem, subject,
                         QStringLiteral("%1 records were deleted before they were in it").arg(archive.lost),
                         QStringLiteral("keep more of them: drover cluster limits --done-limit N")});
    if (archive.aside > 0)
        findings.append(
            {Level::Warning, subject,
             QStringLiteral("the master cannot read %1 (no permission, or a newer format): it archives the others")
                 .arg(text::formatCount(archive.aside, "final record", "final records")),
             QStringLiteral("let everybody read the nodes in done/; start the workers again with the newest drover")});
    if (archive.error.isEmpty() && archive.lost == 0 && archive.aside == 0)
        findings.append({Level::Ok, subject, progressOf(archive)});
}

} // namespace drover::app
