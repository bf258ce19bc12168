#include "gui/models/worker_model.h"

#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "text/printable.h"

#include <QFont>

namespace drover::gui {

namespace {

QFont boldFont()
{
    QFont font;
    font.setBold(true);
    return font;
}

} // namespace

// In the order of Column.
WorkerModel::WorkerModel(QObject *parent)
    : SnapshotModel({{tr("Worker")},
                     {tr("Slots in use")},
                     {tr("Queues")},
                     {tr("Host")},
                     {tr("Since")},
                     {tr("PID"), Qt::AlignRight}},
                    parent)
{
}

void WorkerModel::showLoads(const QMap<QString, WorkerLoad> &loads)
{
    if (loads == m_loads)
        return;
    m_loads = loads;
    touchColumn(Running);
    touchColumn(Worker); // its dot
}

bool WorkerModel::isCordoned(const WorkerRow &worker)
{
    return !worker.cordon.isEmpty() || worker.info.cordon != 0;
}

bool WorkerModel::isDrained(int index) const
{
    return row(index).info.cordon != 0 && load(index).jobs.isEmpty();
}

QVariant WorkerModel::cell(const WorkerRow &worker, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        return text(worker, column);
    case Qt::ToolTipRole:
        return plainToolTip(toolTip(worker, column));
    case ToneRole:
        if (!worker.malformed.isEmpty())
            return int(Tone::Bad);
        break;
    case DotRole:
        if (!worker.info.trouble.isEmpty())
            return int(Tone::Bad);
        if (isCordoned(worker))
            return int(Tone::Waiting);
        if (worker.malformed.isEmpty())
            return int(loadOf(worker).jobs.isEmpty() ? Tone::Good : Tone::Busy);
        break;
    case Qt::FontRole:
        if (worker.master && column == Worker)
            return boldFont();
        break;
    case SortRole:
        if (column == Since)
            return worker.since;
        if (column == Pid)
            return worker.info.pid;
        if (column == Running)
            return loadOf(worker).slotCount;
        return text(worker, column);
    case EntitiesRole:
        return QVariant::fromValue(entities(worker));
    case LinkRole:
        if (column == Running && !loadOf(worker).jobs.isEmpty())
            return QVariant::fromValue(EntityRef{EntityRef::Kind::Job, loadOf(worker).jobs.front().toUtf8()});
        break;
    }
    return {};
}

// Its first jobs: a menu has to have an end.
QList<EntityRef> WorkerModel::entities(const WorkerRow &worker) const
{
    QList<EntityRef> all{{EntityRef::Kind::Worker, worker.id}};
    const QStringList jobs = loadOf(worker).jobs.mid(0, 10);
    for (const QString &job : jobs)
        all.append({EntityRef::Kind::Job, job.toUtf8()});
    for (const QString &queue : worker.info.queues)
        all.append({EntityRef::Kind::Queue, queue.toUtf8()});
    return all;
}

QVariant WorkerModel::text(const WorkerRow &worker, int column) const
{
    const bool malformed = !worker.malformed.isEmpty();
    switch (column) {
    case Worker: {
        const QString name = text::printable(worker.id);
        const qsizetype left = loadOf(worker).jobs.size();
        const QString cordoned = left > 0
            ? tr("%1 (cordoned, %2 left)", "worker, jobs").arg(name, counted(left, Things::Jobs))
            : tr("%1 (cordoned)").arg(name);
        const QString id = isCordoned(worker) ? cordoned : name;
        return worker.master ? tr("%1 — master").arg(id) : id;
    }
    case Running:
        return malformed ? tr("(malformed)") : tr("%1 of %2").arg(loadOf(worker).slotCount).arg(worker.info.slotCount);
    case Queues:
        return text::printable(worker.info.queues.join(QStringLiteral(", ")));
    case Host:
        return text::printable(worker.info.host);
    case Pid:
        return malformed ? QVariant() : QVariant(QString::number(worker.info.pid));
    case Since:
        return formatSince(worker.since);
    }
    return {};
}

QString WorkerModel::toolTip(const WorkerRow &worker, int column) const
{
    if (!worker.malformed.isEmpty())
        return tr("Its node cannot be read: %1").arg(text::printable(worker.malformed));
    if (column == Since)
        return formatInstantAndAge(worker.since);
    if (column == Running)
        return loadOf(worker).jobs.join(QStringLiteral(", "));
    if (column == Worker && !worker.info.trouble.isEmpty())
        return tr("Its machine could not run jobs when it last checked: %1").arg(text::printable(worker.info.trouble));
    if (column == Worker && isCordoned(worker))
        return tr("It begins no more jobs%1. In a terminal: drover worker uncordon %2 ends that.")
            .arg(worker.cordon.isEmpty() ? QString() : tr(": ") + text::printable(worker.cordon),
                 text::printable(worker.id));
    if (column == Worker) {
        const QString about = tr("drover %1, spool %2").arg(worker.info.version, worker.info.spool);
        return text::printable(worker.master ? tr("The master: it archives, promotes and cleans up.\n%1").arg(about)
                                             : about,
                               text::LineEnds::Keep);
    }
    return {};
}

} // namespace drover::gui
