#include "gui/models/queue_table.h"

#include "gui/text/format.h"
#include "text/printable.h"
#include "text/quantity.h"

namespace drover::gui {

// In the order of Column.
QueueTable::QueueTable(QObject *parent)
    : SnapshotModel({{tr("Queue")},
                     {tr("Unfinished"), Qt::AlignRight},
                     {tr("Ready"), Qt::AlignRight},
                     {tr("Running"), Qt::AlignRight},
                     {tr("Limit"), Qt::AlignRight},
                     {tr("Paused")}},
                    parent)
{
}

qint64 QueueTable::number(const QueueDepth &queue, int column)
{
    switch (column) {
    case Unfinished:
        return queue.depth;
    case Ready:
        return queue.ready;
    case Running:
        return queue.running;
    default:
        return queue.limit;
    }
}

QVariant QueueTable::cell(const QueueDepth &queue, int column, int role) const
{
    const bool isText = column == Queue || column == Paused;
    const QString shown = column == Queue ? text::printable(queue.name) : text::printable(queue.paused);
    switch (role) {
    case Qt::DisplayRole:
        if (isText)
            return shown;
        return column == Limit && queue.limit == 0 ? QString() : text::formatCount(number(queue, column));
    case Qt::ToolTipRole:
        return column == Paused ? plainToolTip(shown) : QVariant();
    case DotRole:
        if (column == Queue)
            return int(!queue.paused.isEmpty() ? Tone::Waiting : queue.running > 0 ? Tone::Busy : Tone::Good);
        break;
    case ToneRole:
        if (column == Paused)
            return int(Tone::Waiting);
        break;
    case EntitiesRole:
        return QVariant::fromValue(QList<EntityRef>{{EntityRef::Kind::Queue, queue.name}});
    case SortRole:
        return isText ? QVariant(shown) : QVariant(number(queue, column));
    }
    return {};
}

} // namespace drover::gui
