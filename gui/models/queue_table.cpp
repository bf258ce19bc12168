#include "gui/models/queue_table.h"

#include "gui/text/format.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QDateTime>

namespace drover::gui {

namespace {

constexpr qint64 Second = 1000;
constexpr qint64 Minute = 60 * Second;
constexpr qint64 LeastSpan = 5 * Second; // of a rate

} // namespace

// In the order of Column.
QueueTable::QueueTable(QObject *parent, Clock clock)
    : SnapshotModel({{tr("Queue")},
                     {tr("Unfinished"), Qt::AlignRight},
                     {tr("Ready"), Qt::AlignRight},
                     {tr("Waiting"), Qt::AlignRight},
                     {tr("Running"), Qt::AlignRight},
                     {tr("Oldest ready"), Qt::AlignRight},
                     {tr("In per minute"), Qt::AlignRight},
                     {tr("Out per minute"), Qt::AlignRight},
                     {tr("Limit"), Qt::AlignRight},
                     {tr("Paused")}},
                    parent),
      m_clock(clock ? std::move(clock) : [] { return QDateTime::currentMSecsSinceEpoch(); })
{
}

void QueueTable::show(const QList<QueueDepth> &queues)
{
    for (const QueueDepth &queue : queues)
        count(queue);
    apply(queues);
    m_counts.removeIf([&queues](const auto &entry) {
        return std::ranges::none_of(queues, [&entry](const QueueDepth &queue) { return queue.name == entry.key(); });
    });
}

void QueueTable::refresh()
{
    for (int i = 0; i < rowCount(); ++i)
        count(row(i));
    for (const Column column : {Oldest, Came, Left})
        touchColumn(column);
}

void QueueTable::count(const QueueDepth &queue)
{
    const qint64 now = m_clock();
    std::deque<Count> &counts = m_counts[queue.name];
    const bool isAnew = !counts.empty()
        && (queue.came < counts.back().came || queue.left < counts.back().left || now < counts.back().at);
    if (isAnew)
        counts.clear(); // another session counts from zero
    if (counts.empty() || now - counts.back().at >= Second)
        counts.push_back({now, queue.came, queue.left});
    while (counts.size() > 1 && now - counts[1].at >= Minute)
        counts.pop_front();
    counts.front().at = std::max(counts.front().at, now - Minute); // nothing came or went between it and the next
}

std::optional<qint64> QueueTable::rate(const QueueDepth &queue, qint64 Count::*counter) const
{
    const auto counts = m_counts.find(queue.name);
    if (counts == m_counts.end() || counts->empty())
        return {};
    const qint64 span = m_clock() - counts->front().at;
    if (span < LeastSpan)
        return {};
    const qint64 now = counter == &Count::came ? queue.came : queue.left;
    return ((now - counts->front().*counter) * Minute + span / 2) / span;
}

std::optional<qint64> QueueTable::number(const QueueDepth &queue, int column) const
{
    switch (column) {
    case Unfinished:
        return queue.depth;
    case Ready:
        return queue.ready;
    case Waiting:
        return queue.waiting >= 0 ? std::optional(queue.waiting) : std::nullopt;
    case Running:
        return queue.running;
    case Oldest:
        return queue.oldestReady > 0 ? std::optional(std::max<qint64>(0, m_clock() - queue.oldestReady)) : std::nullopt;
    case Came:
        return rate(queue, &Count::came);
    case Left:
        return rate(queue, &Count::left);
    case Limit:
        return queue.limit > 0 ? std::optional<qint64>(queue.limit) : std::nullopt;
    default:
        return {};
    }
}

QVariant QueueTable::cell(const QueueDepth &queue, int column, int role) const
{
    const bool isText = column == Queue || column == Paused;
    const QString shown = column == Queue ? text::printable(queue.name) : text::printable(queue.paused);
    const std::optional<qint64> value = number(queue, column);
    switch (role) {
    case Qt::DisplayRole:
        if (isText)
            return shown;
        if (column == Oldest && value)
            return text::formatDuration(std::chrono::seconds(*value / Second));
        return value ? text::formatCount(*value) : QString();
    case Qt::ToolTipRole:
        if (column == Oldest && value)
            return tr("Submitted %1").arg(formatInstant(queue.oldestReady));
        if (column == Waiting && value)
            return tr("They are held, or wait for a time or for other jobs.");
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
        return isText ? QVariant(shown) : QVariant(value.value_or(-1));
    }
    return {};
}

} // namespace drover::gui
