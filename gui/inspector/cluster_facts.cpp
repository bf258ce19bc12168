#include "gui/inspector/entity_facts.h"
#include "gui/models/job_model.h"
#include "gui/models/queue_table.h"
#include "gui/models/worker_model.h"
#include "gui/shell/gateway.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QCoreApplication>

#include <algorithm>

namespace drover::gui {

namespace {

struct ClusterFacts {
    Q_DECLARE_TR_FUNCTIONS(Facts)
};

constexpr qsizetype MostLinks = 12; // of one line

template <typename Model, typename Fits>
auto rowOf(const Model &model, const Fits &fits) -> decltype(&model.row(0))
{
    for (int i = 0; i < model.rowCount(); ++i) {
        if (fits(model.row(i)))
            return &model.row(i);
    }
    return nullptr;
}

QList<EntityRef> links(EntityRef::Kind kind, const QStringList &names)
{
    QList<EntityRef> all;
    for (const QString &name : names.first(std::min(names.size(), MostLinks)))
        all.append({kind, name.toUtf8()});
    return all;
}

QString furtherOnes(qsizetype count)
{
    return count > MostLinks ? ClusterFacts::tr("%1, of which these are the first:").arg(text::formatCount(count))
                             : QString();
}

void addMachine(Facts &facts, const jobs::WorkerInfo &info)
{
    facts.begin(ClusterFacts::tr("Process"));
    facts.add(ClusterFacts::tr("Host"), text::printable(info.host));
    facts.add(ClusterFacts::tr("PID"), info.pid > 0 ? QString::number(info.pid) : QString());
    facts.add(ClusterFacts::tr("Version"), text::printable(info.version));
    facts.add(ClusterFacts::tr("Spool"), text::printable(info.spool));
    facts.add(ClusterFacts::tr("History"), text::printable(info.history));
    facts.add(ClusterFacts::tr("Output served at"), text::printable(info.endpoint));
}

} // namespace

Facts workerFacts(const Sources &sources, const QByteArray &worker)
{
    Facts facts{ClusterFacts::tr("not in the cluster"), Tone::Muted};
    const WorkerRow *const row = rowOf(sources.workers, [&](const WorkerRow &one) { return one.id == worker; });
    if (!row)
        return facts;
    const WorkerLoad load = sources.workers.loadOf(*row);
    const bool isCordoned = WorkerModel::isCordoned(*row);
    const bool isMalformed = !row->malformed.isEmpty();
    const bool isBad = isMalformed || !row->info.trouble.isEmpty();
    facts.state = isMalformed ? ClusterFacts::tr("malformed")
        : isBad               ? ClusterFacts::tr("in trouble")
        : isCordoned          ? ClusterFacts::tr("cordoned")
        : load.jobs.isEmpty() ? ClusterFacts::tr("free")
                              : ClusterFacts::tr("busy");
    facts.tone = isBad ? Tone::Bad : isCordoned ? Tone::Waiting : load.jobs.isEmpty() ? Tone::Good : Tone::Busy;
    facts.begin({});
    facts.add(ClusterFacts::tr("Malformed"), text::printable(row->malformed), {}, Tone::Bad);
    facts.add(ClusterFacts::tr("Trouble"), text::printable(row->info.trouble), {}, Tone::Bad);
    facts.add(ClusterFacts::tr("Cordon"),
              row->cordon.isEmpty() && isCordoned ? ClusterFacts::tr("it still obeys one that has been lifted")
                                                  : text::printable(row->cordon),
              {}, Tone::Waiting);
    facts.add(ClusterFacts::tr("Master"),
              row->master ? ClusterFacts::tr("yes, with the fencing token %1").arg(row->masterToken) : QString());
    facts.addInstant(ClusterFacts::tr("Master since"), row->master ? row->masterSince : 0);
    facts.addInstant(ClusterFacts::tr("Joined"), row->since);
    facts.begin(ClusterFacts::tr("Work"));
    facts.add(ClusterFacts::tr("Slots in use"),
              ClusterFacts::tr("%1 of %2").arg(load.slotCount).arg(row->info.slotCount));
    facts.add(ClusterFacts::tr("Memory for jobs"),
              row->info.memory > 0 ? text::formatSize(row->info.memory) : QString());
    facts.add(ClusterFacts::tr("Labels"), text::printable(row->info.labels.join(u", ")));
    facts.add(ClusterFacts::tr("Queues"), {}, links(EntityRef::Kind::Queue, row->info.queues));
    facts.add(ClusterFacts::tr("Runs"),
              load.jobs.isEmpty() ? ClusterFacts::tr("nothing") : furtherOnes(load.jobs.size()),
              links(EntityRef::Kind::Job, load.jobs));
    addMachine(facts, row->info);
    const trust::Need need = Gateway::toOperate();
    if (isCordoned)
        facts.offers = {{"uncordon", ClusterFacts::tr("Uncordon"), need}};
    else
        facts.offers = {{"cordon", ClusterFacts::tr("Cordon…"), need}, {"drain", ClusterFacts::tr("Drain…"), need}};
    return facts;
}

Facts queueFacts(const Sources &sources, const QByteArray &queue)
{
    Facts facts{ClusterFacts::tr("no such queue"), Tone::Muted};
    const QueueDepth *const row = rowOf(sources.queues, [&](const QueueDepth &one) { return one.name == queue; });
    if (!row)
        return facts;
    const bool isPaused = !row->paused.isEmpty();
    facts.state = isPaused ? ClusterFacts::tr("paused") : ClusterFacts::tr("open");
    facts.tone = isPaused ? Tone::Waiting : row->running > 0 ? Tone::Busy : Tone::Good;
    facts.begin({});
    facts.add(ClusterFacts::tr("Paused"), text::printable(row->paused), {}, Tone::Waiting);
    facts.add(ClusterFacts::tr("Unfinished"), text::formatCount(row->depth));
    facts.add(
        ClusterFacts::tr("Running"),
        row->limit > 0
            ? ClusterFacts::tr("%1 of at most %2").arg(text::formatCount(row->running), text::formatCount(row->limit))
            : text::formatCount(row->running));
    facts.add(ClusterFacts::tr("Ready"), text::formatCount(row->ready));
    facts.add(ClusterFacts::tr("Waiting or held"), row->waiting >= 0 ? text::formatCount(row->waiting) : QString());
    QStringList running;
    for (int i = 0; i < sources.jobs.rowCount(); ++i) {
        const JobRow &job = sources.jobs.row(i);
        if (job.id.queue == queue && job.state == jobs::JobState::Running)
            running << job.id.toString();
    }
    QStringList workers;
    for (int i = 0; i < sources.workers.rowCount(); ++i) {
        const WorkerRow &worker = sources.workers.row(i);
        if (worker.info.queues.contains(QString::fromUtf8(queue)))
            workers << QString::fromUtf8(worker.id);
    }
    facts.begin(ClusterFacts::tr("Work"));
    facts.add(ClusterFacts::tr("Jobs that run"), furtherOnes(running.size()), links(EntityRef::Kind::Job, running));
    facts.add(ClusterFacts::tr("Workers"),
              workers.isEmpty() ? ClusterFacts::tr("no worker serves it") : furtherOnes(workers.size()),
              links(EntityRef::Kind::Worker, workers), workers.isEmpty() ? Tone::Bad : Tone::Plain);
    if (isPaused)
        facts.offers = {{"resume", ClusterFacts::tr("Resume"), Gateway::toOperate()}};
    else
        facts.offers = {{"pause", ClusterFacts::tr("Pause…"), Gateway::toOperate()}};
    facts.offers << Offer{"limit", ClusterFacts::tr("Limit…"), Gateway::toOperate()};
    return facts;
}

} // namespace drover::gui
