#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "gui/text/marks.h"
#include "gui/text/shell_words.h"
#include "gui/words/node_words.h"
#include "jobs/audit/audit_entry.h"
#include "jobs/cluster/cordon.h"
#include "jobs/cluster/queue_settings.h"
#include "jobs/model/claim.h"
#include "jobs/model/cluster_stats.h"
#include "jobs/model/errors.h"
#include "jobs/model/final_record.h"
#include "jobs/model/layout.h"
#include "jobs/model/worker_info.h"
#include "jobs/schedules/schedule_entry.h"
#include "text/quantity.h"

#include <QCoreApplication>

namespace drover::gui {

namespace {

struct ClusterTexts {
    Q_DECLARE_TR_FUNCTIONS(ClusterWords)
};

QString at(std::chrono::milliseconds instant)
{
    return formatInstant(instant.count());
}

// "by alice@host at 14:03: maintenance"
QString byAndWhy(const QString &by, std::chrono::milliseconds instant, const QString &why)
{
    const QString who = ClusterTexts::tr("by %1 at %2").arg(marked(by), at(instant));
    return why.isEmpty() ? who : who + QStringLiteral(": ") + marked(why);
}

QStringList jobWords(const QByteArray &queue, const QByteArray &name, const QByteArray &data)
{
    const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name);
    if (!entry)
        return {};
    const QString id = entry->idIn(queue).toString();
    const jobs::JobSpec spec = jobs::JobSpec::decode(data, queue, entry->priority);
    QStringList lines;
    switch (entry->jobClass) {
    case jobs::QueueEntry::Class::Ready:
        lines << ClusterTexts::tr("The unfinished job %1: ready, with priority %2.").arg(id).arg(entry->priority);
        break;
    case jobs::QueueEntry::Class::Waiting:
        lines << ClusterTexts::tr("The unfinished job %1: it waits for a time or for other jobs.").arg(id);
        break;
    case jobs::QueueEntry::Class::Held:
        lines << ClusterTexts::tr("The unfinished job %1: held, until it is released.").arg(id);
        break;
    case jobs::QueueEntry::Class::Array:
        lines << ClusterTexts::tr("The unfinished array %1.").arg(id);
        break;
    }
    lines << ClusterTexts::tr("Its command: %1").arg(marked(joinShellWords(spec.command)).left(200));
    lines << ClusterTexts::tr("Submitted by %1 at %2.").arg(marked(spec.submitter), at(spec.submittedAt));
    return lines;
}

QStringList claimWords(const QByteArray &name, const QByteArray &data)
{
    const jobs::Claim claim = jobs::Claim::decode(data);
    QStringList lines{ClusterTexts::tr("The worker %1 has the job %2, and %3 of its slots.")
                          .arg(marked(claim.worker), marked(name), text::formatCount(claim.slotCount))};
    if (!claim.waits.isEmpty())
        lines << ClusterTexts::tr("The job waits there for %1.").arg(marked(claim.waits));
    if (claim.cancelled)
        lines << ClusterTexts::tr("It is cancelled: the worker ends it.");
    if (claim.requeue)
        lines << ClusterTexts::tr("The worker is to give it back.");
    return lines;
}

QStringList doneWords(const QByteArray &name, const QByteArray &data)
{
    const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromUtf8(name));
    if (!id)
        return {};
    const jobs::FinalRecord record = jobs::FinalRecord::decode(data, *id);
    QStringList lines{ClusterTexts::tr("The job %1 has ended: %2, exit code %3.")
                          .arg(id->toString(), jobs::outcomeName(record.outcome))
                          .arg(record.exitCode())};
    if (!record.reason.isEmpty())
        lines << marked(record.reason);
    if (!record.worker.isEmpty())
        lines << ClusterTexts::tr("It ran at %1, from %2 to %3.")
                     .arg(marked(record.worker), at(record.startedAt), at(record.finishedAt));
    return lines;
}

QStringList memberWords(const QByteArray &data)
{
    const jobs::WorkerInfo info = jobs::WorkerInfo::decode(data);
    return {ClusterTexts::tr("The worker %1 at %2, process %3, with %4.")
                .arg(marked(info.id), marked(info.host))
                .arg(info.pid)
                .arg(counted(info.slotCount, Things::Slots)),
            ClusterTexts::tr("It serves %1, since %2.")
                .arg(marked(info.queues.join(QStringLiteral(", "))), at(info.startedAt))};
}

QStringList queueWords(const QByteArray &queue, const QByteArray &data)
{
    const jobs::QueueSettings settings = jobs::QueueSettings::decode(data.isEmpty() ? QByteArray("{}") : data);
    QStringList lines{ClusterTexts::tr("The queue %1; its children are its unfinished jobs.").arg(marked(queue))};
    if (settings.paused)
        lines << ClusterTexts::tr("Paused %1").arg(byAndWhy(settings.pausedBy, settings.pausedAt, settings.why));
    if (settings.limit > 0)
        lines << ClusterTexts::tr("At most %1 of its jobs run at a time.").arg(text::formatCount(settings.limit));
    return lines;
}

QStringList cordonWords(const QByteArray &worker, const QByteArray &data)
{
    const jobs::Cordon cordon = jobs::Cordon::decode(data);
    return {ClusterTexts::tr("The worker %1 claims no jobs: cordoned %2")
                .arg(marked(worker), byAndWhy(cordon.by, cordon.at, cordon.why))};
}

QStringList auditWords(const QByteArray &data)
{
    const jobs::SignedEntry signedEntry = jobs::SignedEntry::decode(data);
    const jobs::AuditEntry entry = jobs::AuditEntry::decode(signedEntry.text.toUtf8());
    return {ClusterTexts::tr("%1 of %2 by %3 at %4 (the signature is not checked here).")
                .arg(marked(entry.action), marked(entry.target), marked(entry.by), at(entry.at)),
            marked(entry.detail)};
}

QStringList scheduleWords(const QByteArray &name, const QByteArray &data)
{
    const jobs::ScheduleEntry entry = jobs::ScheduleEntry::decode(data);
    QStringList lines{
        ClusterTexts::tr("The recurring job %1: %2.").arg(marked(name), marked(joinShellWords(entry.job.command)))};
    if (entry.paused)
        lines << ClusterTexts::tr("It is paused.");
    if (entry.lastRun.count() > 0)
        lines << ClusterTexts::tr("Its latest job is of %1.").arg(at(entry.lastRun));
    return lines;
}

QStringList statsWords(const QByteArray &data)
{
    const jobs::ClusterStats stats = jobs::ClusterStats::decode(data);
    return {ClusterTexts::tr("The summary of the master %1, written at %2.").arg(marked(stats.master), at(stats.at)),
            ClusterTexts::tr("%1, %2 claimed, %3 ended and not yet archived.")
                .arg(counted(stats.workers, Things::Workers), counted(stats.claimed, Things::Jobs),
                     text::formatCount(stats.done))};
}

// Of a node below the cluster's root. Throws Malformed for a record that is not one.
QStringList wordsOf(const QByteArrayList &parts, const QByteArray &data)
{
    const QByteArray &directory = parts.first();
    const QByteArray &name = parts.last();
    if (parts.size() == 1)
        return directory == "stats" ? statsWords(data) : QStringList();
    if (parts.size() == 3 && directory == "queues")
        return jobWords(parts[1], name, data);
    if (parts.size() > 2)
        return {};
    if (directory == "queues")
        return queueWords(name, data);
    if (directory == "claims")
        return claimWords(name, data);
    if (directory == "done")
        return doneWords(name, data);
    if (directory == "members")
        return memberWords(data);
    if (directory == "cordons")
        return cordonWords(name, data);
    if (directory == "audit")
        return auditWords(data);
    return directory == "schedules" ? scheduleWords(name, data) : QStringList();
}

} // namespace

QStringList clusterWords(const zk::Path &path, const QByteArray &data)
{
    const QByteArray clusters = jobs::Layout::clusters().bytes() + '/';
    if (!path.bytes().startsWith(clusters))
        return {};
    QByteArrayList parts = path.bytes().mid(clusters.size()).split('/');
    if (parts.size() < 2)
        return {};
    parts.removeFirst(); // the cluster's name
    try {
        QStringList lines = wordsOf(parts, data);
        lines.removeAll(QString());
        return lines;
    } catch (const jobs::Malformed &error) {
        return {ClusterTexts::tr("It should be a record of Drover and cannot be read: %1")
                    .arg(marked(QString::fromUtf8(error.what())))};
    }
}

} // namespace drover::gui
