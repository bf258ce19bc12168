#include "gui/kit/slot_map.h"

#include "gui/models/worker_model.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QPainter>

#include <algorithm>
#include <numeric>

namespace drover::gui {

namespace {

constexpr int SlotGap = 3;
constexpr int NameColumns = 14; // average characters of a worker's name

} // namespace

SlotMap::SlotMap(const WorkerModel &workers, QWidget *parent) : QWidget(parent), m_workers(workers)
{
    setAccessibleName(tr("Slots of the workers"));
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(&workers, signal, this, qOverload<>(&QWidget::update));
    connect(&workers, &QAbstractItemModel::dataChanged, this, qOverload<>(&QWidget::update));
}

void SlotMap::setStale(bool stale)
{
    m_stale = stale;
    update();
}

void SlotMap::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    std::vector<int> rows(std::size_t(m_workers.rowCount()));
    std::iota(rows.begin(), rows.end(), 0);
    std::stable_sort(rows.begin(), rows.end(),
                     [&](int a, int b) { return m_workers.load(a).slotCount > m_workers.load(b).slotCount; });
    const int least = fontMetrics().height() + 6;
    const int high = std::clamp(height() / std::max(1, m_workers.rowCount()), least, least * 3 / 2);
    std::size_t shown = std::size_t(std::max(0, height() / high));
    if (shown < rows.size() && shown > 0)
        --shown; // for the last line
    QRect line(8, 0, width() - 16, high);
    for (std::size_t i = 0; i < std::min(shown, rows.size()); ++i) {
        paintWorker(painter, line, rows[i]);
        line.translate(0, high);
    }
    if (rows.size() > shown) {
        painter.setPen(mutedText(palette()));
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                         tr("and %1 more").arg(text::formatCount(qint64(rows.size() - shown))));
    }
}

void SlotMap::paintWorker(QPainter &painter, const QRect &line, int row) const
{
    const WorkerRow &worker = m_workers.row(row);
    const int names = NameColumns * fontMetrics().averageCharWidth();
    painter.setPen(m_stale ? mutedText(palette()) : palette().color(QPalette::Text));
    painter.drawText(QRect(line.topLeft(), QSize(names, line.height())), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text::printable(worker.id), Qt::ElideRight, names));
    if (!worker.malformed.isEmpty()) {
        painter.drawText(line.adjusted(names + 8, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, tr("(malformed)"));
        return;
    }
    const int used = m_workers.load(row).slotCount;
    const int all = std::max(worker.info.slotCount, used);
    const int room = line.width() - names - 8;
    if (all == 0 || room <= 0)
        return;
    const int side = std::min(line.height() - 8, 18);
    const bool areSquares = all * (side + SlotGap) <= room;
    const QColor full = m_stale ? mutedText(palette()) : toneColor(Tone::Busy, palette());
    const QPointF begin(line.left() + names + 8, line.center().y() - side / 2.0 + 0.5);
    painter.setPen(Qt::NoPen);
    if (!areSquares) { // one bar
        painter.setBrush(gridColor(palette()));
        painter.drawRoundedRect(QRectF(begin, QSizeF(room, side)), 2, 2);
        painter.setBrush(full);
        painter.drawRoundedRect(QRectF(begin, QSizeF(qreal(room) * used / all, side)), 2, 2);
        return;
    }
    for (int i = 0; i < all; ++i) {
        painter.setBrush(i < used ? full : gridColor(palette()));
        painter.drawRoundedRect(QRectF(begin + QPointF(i * (side + SlotGap), 0), QSizeF(side, side)), 2, 2);
    }
}

} // namespace drover::gui
