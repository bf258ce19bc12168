#include "gui/models/worker_model.h"

#include "gui/text/format.h"
#include "text/printable.h"

#include <QFont>

namespace drover::gui {

namespace {

// It obeys an order to begin no more jobs.
bool isCordoned(const WorkerRow &worker)
{
    return worker.info.cordon != 0;
}

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

void WorkerModel::showRunning(const QMap<QString, QStringList> &jobsByWorker)
{
    if (jobsByWorker == m_running)
        return;
    m_running = jobsByWorker;
    touchColumn(Running);
    touchColumn(Worker); // its dot
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
            return int(runningOn(worker).isEmpty() ? Tone::Good : Tone::Busy);
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
            return runningOn(worker).size();
        return text(worker, column);
    }
    return {};
}

QVariant WorkerModel::text(const WorkerRow &worker, int column) const
{
    const bool malformed = !worker.malformed.isEmpty();
    switch (column) {
    case Worker: {
        const QString name = text::printable(worker.id);
        const QString id = isCordoned(worker) ? tr("%1 (cordoned)").arg(name) : name;
        return worker.master ? tr("%1 — master").arg(id) : id;
    }
    case Running:
        return malformed ? tr("(malformed)") : tr("%1 of %2").arg(runningOn(worker).size()).arg(worker.info.slotCount);
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
        return runningOn(worker).join(QStringLiteral(", "));
    if (column == Worker && !worker.info.trouble.isEmpty())
        return tr("Its machine could not run jobs when it last checked: %1").arg(text::printable(worker.info.trouble));
    if (column == Worker && isCordoned(worker))
        return tr("It begins no more jobs. In a terminal: drover worker ls says who cordoned it and why, and drover "
                  "worker uncordon %1 ends that.")
            .arg(text::printable(worker.id));
    if (column == Worker) {
        const QString about = tr("drover %1, spool %2").arg(worker.info.version, worker.info.spool);
        return text::printable(worker.master ? tr("The master: it archives, promotes and cleans up.\n%1").arg(about)
                                             : about,
                               text::LineEnds::Keep);
    }
    return {};
}

} // namespace drover::gui
