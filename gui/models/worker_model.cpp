#include "gui/models/worker_model.h"

#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QFont>

#include <algorithm>

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
                     {tr("State")},
                     {tr("Slots in use")},
                     {tr("Queues")},
                     {tr("Labels")},
                     {tr("Memory"), Qt::AlignRight},
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
    touchColumn(State);
    touchColumn(Worker); // its dot
}

bool WorkerModel::isCordoned(const WorkerRow &worker)
{
    return !worker.cordon.isEmpty() || worker.info.cordon != 0;
}

bool WorkerModel::hasLabels() const
{
    for (int i = 0; i < rowCount(); ++i) {
        if (!row(i).info.labels.isEmpty())
            return true;
    }
    return false;
}

const WorkerRow *WorkerModel::master() const
{
    for (int i = 0; i < rowCount(); ++i) {
        if (row(i).master)
            return &row(i);
    }
    return nullptr;
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
        if (column == State)
            return int(stateTone(worker));
        break;
    case DotRole:
        return int(stateTone(worker));
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
        if (column == Memory)
            return worker.info.memory;
        return text(worker, column);
    case ShareRole:
        if (column == Running && worker.info.slotCount > 0)
            return std::min(1.0, double(loadOf(worker).slotCount) / worker.info.slotCount);
        break;
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
        return worker.master ? tr("%1 — master").arg(name) : name;
    }
    case State:
        return stateText(worker);
    case Running:
        return malformed ? tr("(malformed)") : tr("%1 of %2").arg(loadOf(worker).slotCount).arg(worker.info.slotCount);
    case Queues:
        return text::printable(worker.info.queues.join(QStringLiteral(", ")));
    case Labels:
        return text::printable(worker.info.labels.join(QStringLiteral(", ")));
    case Memory:
        return worker.info.memory > 0 ? QVariant(text::formatSize(worker.info.memory)) : QVariant();
    case Host:
        return text::printable(worker.info.host);
    case Pid:
        return malformed ? QVariant() : QVariant(QString::number(worker.info.pid));
    case Since:
        return formatSince(worker.since);
    }
    return {};
}

QString WorkerModel::stateText(const WorkerRow &worker) const
{
    const qsizetype left = loadOf(worker).jobs.size();
    if (!worker.malformed.isEmpty())
        return tr("Malformed");
    if (!worker.info.trouble.isEmpty())
        return tr("In trouble");
    if (isCordoned(worker))
        return left > 0 ? tr("Cordoned, %1 left", "jobs").arg(counted(left, Things::Jobs)) : tr("Cordoned");
    return left > 0 ? tr("Busy") : tr("Free");
}

Tone WorkerModel::stateTone(const WorkerRow &worker) const
{
    if (!worker.malformed.isEmpty() || !worker.info.trouble.isEmpty())
        return Tone::Bad;
    if (isCordoned(worker))
        return Tone::Waiting;
    return loadOf(worker).jobs.isEmpty() ? Tone::Good : Tone::Busy;
}

QString WorkerModel::toolTip(const WorkerRow &worker, int column) const
{
    if (!worker.malformed.isEmpty())
        return tr("Its node cannot be read: %1").arg(text::printable(worker.malformed));
    if (column == Since)
        return formatInstantAndAge(worker.since);
    if (column == Running)
        return loadOf(worker).jobs.join(QStringLiteral(", "));
    if (column == Queues || column == Labels)
        return text(worker, column).toString();
    const bool isState = column == Worker || column == State;
    if (isState && !worker.info.trouble.isEmpty())
        return tr("Its machine could not run jobs when it last checked: %1").arg(text::printable(worker.info.trouble));
    if (isState && isCordoned(worker))
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
