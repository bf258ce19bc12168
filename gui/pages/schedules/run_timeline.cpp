#include "gui/pages/schedules/run_timeline.h"

#include "gui/kit/time_ruler.h"
#include "gui/models/schedules/schedule_model.h"
#include "gui/text/format.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"

#include <QDateTime>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace drover::gui {

namespace {

constexpr std::size_t MostRuns = 400; // of a line; more are a bar to its end
constexpr qint64 Hour = 3'600'000;
constexpr int Padding = 10;
constexpr qreal RunWidth = 4;
constexpr qreal MostHigh = 14; // of a run

} // namespace

RunTimeline::RunTimeline(const ScheduleModel &model, QWidget *parent) : QWidget(parent), m_model(model)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(tr("Next runs"));
    connect(&model, &ScheduleModel::shown, this, &RunTimeline::describe);
}

void RunTimeline::setSpan(Span span)
{
    m_span = span;
    update();
}

void RunTimeline::setStale(bool stale)
{
    m_stale = stale;
    update();
}

// For those who do not see it.
void RunTimeline::describe()
{
    QStringList lines;
    for (const int row : rowsShown())
        lines << tr("%1: %2", "schedule, time")
                     .arg(text::printable(m_model.row(row).stored.name), formatInstant(m_model.next(row)));
    setAccessibleDescription(lines.join(u'\n'));
    update();
}

qint64 RunTimeline::length() const
{
    return m_span == Span::Day ? 24 * Hour : m_span == Span::Week ? 7 * 24 * Hour : 31 * 24 * Hour;
}

QRectF RunTimeline::plot() const
{
    const int names = fontMetrics().averageCharWidth() * 18;
    return QRectF(rect()).adjusted(Padding + names, Padding, -Padding, -4 - TimeRuler::height(fontMetrics()));
}

std::vector<int> RunTimeline::rowsShown() const
{
    std::vector<int> rows;
    for (int row = 0; row < m_model.rowCount(); ++row) {
        if (m_model.next(row) > 0)
            rows.push_back(row);
    }
    std::stable_sort(rows.begin(), rows.end(), [this](int a, int b) { return m_model.next(a) < m_model.next(b); });
    const auto room = std::size_t(std::max(1.0, plot().height() / leastHeight()));
    rows.resize(std::min(rows.size(), room));
    return rows;
}

qreal RunTimeline::lineHeight(std::size_t rows) const
{
    return std::clamp(plot().height() / qreal(std::max<std::size_t>(1, rows)), leastHeight(), leastHeight() * 1.8);
}

void RunTimeline::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF area = plot();
    const qint64 begin = QDateTime::currentMSecsSinceEpoch();
    const std::vector<int> rows = rowsShown();
    if (rows.empty()) {
        painter.setPen(mutedText(palette()));
        painter.drawText(rect(), Qt::AlignCenter, tr("No run is due."));
        return;
    }
    TimeRuler{.plot = area, .from = begin, .until = begin + length(), .up = area.height()}.paint(painter, palette());
    const qreal high = lineHeight(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const QRectF line(area.left(), area.top() + qreal(i) * high, area.width(), high);
        const QRectF name(Padding, line.top(), area.left() - 2 * Padding, line.height());
        painter.setPen(m_stale ? mutedText(palette()) : palette().color(QPalette::Text));
        painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(text::printable(m_model.row(rows[i]).stored.name), Qt::ElideRight,
                                                  int(name.width())));
        paintRuns(painter, line, begin, rows[i]);
    }
}

void RunTimeline::paintRuns(QPainter &painter, const QRectF &line, qint64 begin, int row) const
{
    const bool isLate = m_model.condition(row) == ScheduleModel::Condition::Late;
    const QColor color = m_stale ? mutedText(palette()) : toneColor(Tone::Busy, palette());
    const auto placeOf = [&](qint64 at) { return line.left() + line.width() * qreal(at - begin) / qreal(length()); };
    const std::vector<qint64> runs = m_model.runsUntil(row, begin + length(), MostRuns);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    const auto bar = [&](qreal from, qreal to) {
        const qreal high = std::min(line.height() - 10, MostHigh);
        painter.drawRoundedRect(QRectF(from, line.center().y() - high / 2, to - from, high), 2, 2);
    };
    for (std::size_t i = 0; i < runs.size();) {
        const qreal from = placeOf(runs[i]);
        qreal to = from + RunWidth;
        for (++i; i < runs.size() && placeOf(runs[i]) < to + 2; ++i)
            to = placeOf(runs[i]) + RunWidth;
        bar(from, runs.size() == MostRuns && i == runs.size() ? line.right() : std::min(to, line.right()));
    }
    if (isLate) {
        painter.setBrush(m_stale ? color : toneColor(Tone::Bad, palette()));
        bar(line.left() - RunWidth, line.left() + RunWidth);
    }
}

void RunTimeline::mousePressEvent(QMouseEvent *event)
{
    const std::vector<int> rows = rowsShown();
    const auto line = qint64(std::floor((event->position().y() - plot().top()) / lineHeight(rows.size())));
    if (line >= 0 && line < qint64(rows.size()))
        Q_EMIT chosen(rows[std::size_t(line)]);
}

} // namespace drover::gui
