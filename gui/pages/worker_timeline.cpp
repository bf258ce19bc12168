#include "gui/pages/worker_timeline.h"

#include "gui/kit/lanes.h"
#include "gui/kit/time_ruler.h"
#include "gui/models/worker_model.h"
#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>

namespace drover::gui {

using End = SeenAttempt::End;

namespace {

constexpr int Edge = 10; // pixels
constexpr qsizetype MostTold = 50; // attempts in words; the latest
constexpr qint64 SpanMs = std::chrono::milliseconds(WorkerTimeline::Span).count();

Tone toneOf(const SeenAttempt &attempt)
{
    switch (attempt.end) {
    case End::None:
        return Tone::Busy;
    case End::Succeeded:
        return Tone::Good;
    case End::Failed:
    case End::Ended:
        return Tone::Bad;
    case End::Lost:
        return Tone::Waiting;
    case End::Unknown:
        break;
    }
    return Tone::Muted;
}

} // namespace

WorkerTimeline::WorkerTimeline(const WorkerModel &workers, const AttemptLog &attempts, QWidget *parent)
    : QWidget(parent), m_workers(workers), m_attempts(attempts), m_scroll(new QScrollBar(Qt::Vertical, this))
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(tr("What ran on the workers in the last half hour"));
    m_scroll->setAccessibleName(tr("Workers of the time line"));
    m_scroll->hide();
    connect(m_scroll, &QScrollBar::valueChanged, this, qOverload<>(&QWidget::update));
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(&workers, signal, this, &WorkerTimeline::updateScroll);
    connect(&attempts, &AttemptLog::shown, this, &WorkerTimeline::describe);
    connect(&m_second, &QTimer::timeout, this, qOverload<>(&QWidget::update));
    m_second.start(std::chrono::seconds(1));
}

void WorkerTimeline::setStale(const QString &asOf)
{
    if (asOf.isEmpty())
        m_staleSince = 0;
    else if (m_asOf.isEmpty())
        m_staleSince = QDateTime::currentMSecsSinceEpoch();
    m_asOf = asOf;
    update();
}

qint64 WorkerTimeline::now() const
{
    return m_staleSince > 0 ? m_staleSince : QDateTime::currentMSecsSinceEpoch();
}

// For those who do not see it.
void WorkerTimeline::describe()
{
    if (!isVisible())
        return;
    QStringList lines;
    const std::vector<AttemptLog::Run> runs = m_attempts.since(now() - SpanMs);
    for (const AttemptLog::Run &run : runs)
        lines << textOf(run);
    lines = lines.mid(std::max<qsizetype>(0, lines.size() - MostTold));
    if (notShown() > 0)
        lines << tr("%1 not shown: scroll to them", "workers").arg(counted(notShown(), Things::Workers));
    setAccessibleDescription(lines.join(u'\n'));
    update();
}

QString WorkerTimeline::textOf(const AttemptLog::Run &run) const
{
    const qint64 end = run.attempt.ended > 0 ? run.attempt.ended : now();
    const std::chrono::seconds ran(std::max<qint64>(0, end - run.attempt.begun) / 1000);
    return tr("%1, attempt %2, on %3: since %4, for %5, %6", "job, number, worker, time, duration, outcome")
        .arg(run.id.toString())
        .arg(run.attempt.number)
        .arg(text::printable(run.attempt.worker), formatSince(run.attempt.begun), text::formatDuration(ran),
             outcomeOf(run.attempt));
}

QString WorkerTimeline::outcomeOf(const SeenAttempt &attempt)
{
    switch (attempt.end) {
    case End::None:
        return tr("running");
    case End::Succeeded:
        return tr("succeeded");
    case End::Failed:
        return tr("failed with code %1").arg(attempt.code);
    case End::Ended:
        return tr("ended the job without success");
    case End::Lost:
        return tr("lost with its worker, or given back");
    case End::Unknown:
        break;
    }
    return tr("ended");
}

QRectF WorkerTimeline::plot() const
{
    const int names = fontMetrics().averageCharWidth() * 18;
    const int bar = m_scroll->isHidden() ? 0 : m_scroll->width();
    return QRectF(rect()).adjusted(Edge + names, Edge, -Edge - bar, -4 - TimeRuler::height(fontMetrics()));
}

qsizetype WorkerTimeline::room() const
{
    return qsizetype(std::max(1.0, plot().height() / (fontMetrics().height() + 4)));
}

qsizetype WorkerTimeline::notShown() const
{
    return std::max<qsizetype>(0, m_workers.rowCount() - room());
}

void WorkerTimeline::updateScroll()
{
    m_scroll->setVisible(notShown() > 0);
    m_scroll->setRange(0, int(notShown()));
    m_scroll->setPageStep(int(room()));
    const int wide = m_scroll->sizeHint().width();
    m_scroll->setGeometry(width() - wide, 0, wide, height());
    describe(); // how many are not shown, too
    update();
}

void WorkerTimeline::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    updateScroll();
}

void WorkerTimeline::wheelEvent(QWheelEvent *event)
{
    if (m_scroll->isHidden())
        return QWidget::wheelEvent(event);
    QCoreApplication::sendEvent(m_scroll, event);
}

QStringList WorkerTimeline::workersShown() const
{
    QStringList workers;
    for (int row = 0; row < m_workers.rowCount(); ++row)
        workers << QString::fromUtf8(m_workers.row(row).id);
    workers.sort();
    return workers.mid(m_scroll->isHidden() ? 0 : m_scroll->value(), room());
}

QRectF WorkerTimeline::lineOf(qsizetype worker) const
{
    const QRectF area = plot();
    const qsizetype lines = std::max<qsizetype>(1, workersShown().size());
    const qreal high = std::min(area.height() / qreal(lines), fontMetrics().height() * 2.2);
    return {area.left(), area.top() + qreal(worker) * high, area.width(), high};
}

void WorkerTimeline::layLine(std::vector<Bar> &line, const QRectF &area) const
{
    const TimeRuler times = ruler();
    const auto xOf = [&](qint64 at) { return times.xOf(std::clamp(at, times.from, times.until)); };
    std::vector<std::pair<qreal, qreal>> stretches;
    for (const Bar &bar : line) {
        const qreal left = xOf(bar.run.attempt.begun);
        stretches.emplace_back(
            left, std::max(left + 2, bar.run.attempt.ended > 0 ? xOf(bar.run.attempt.ended) : area.right()));
    }
    const std::vector<Lane> lanes = inLanes(stretches);
    std::size_t most = 1;
    for (const Lane &lane : lanes)
        most = std::max(most, lane.count);
    const qreal high = (area.height() - 4) / qreal(most);
    for (std::size_t i = 0; i < line.size(); ++i) {
        const auto &[left, right] = stretches[i];
        line[i].place =
            QRectF(left, area.top() + 2 + qreal(lanes[i].number) * high, right - left, std::max(1.5, high - 1));
    }
}

std::vector<WorkerTimeline::Bar> WorkerTimeline::bars() const
{
    const QStringList workers = workersShown();
    std::vector<std::vector<Bar>> lines(std::size_t(workers.size()));
    const std::vector<AttemptLog::Run> runs = m_attempts.since(now() - SpanMs);
    for (const AttemptLog::Run &run : runs) {
        const qsizetype worker = workers.indexOf(run.attempt.worker);
        if (worker >= 0)
            lines[std::size_t(worker)].push_back({run});
    }
    std::vector<Bar> all;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        layLine(lines[i], lineOf(qsizetype(i)));
        all.insert(all.end(), lines[i].begin(), lines[i].end());
    }
    return all;
}

void WorkerTimeline::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QStringList workers = workersShown();
    if (workers.isEmpty())
        return;
    ruler().paint(painter, palette());
    if (notShown() > 0) {
        const QRectF corner(Edge, plot().bottom(), plot().left() - 2 * Edge, TimeRuler::height(fontMetrics()));
        painter.setPen(mutedText(palette()));
        painter.drawText(corner, Qt::AlignLeft | Qt::AlignBottom, tr("%1 not shown", "workers").arg(notShown()));
    }
    for (qsizetype i = 0; i < workers.size(); ++i) {
        const QRectF line = lineOf(i);
        const QRectF name(Edge, line.top(), line.left() - 2 * Edge, line.height());
        painter.setPen(m_asOf.isEmpty() ? palette().color(QPalette::Text) : mutedText(palette()));
        painter.drawText(name, Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(text::printable(workers[i]), Qt::ElideRight, int(name.width())));
        painter.setPen(gridColor(palette()));
        painter.drawLine(line.bottomLeft(), line.bottomRight());
    }
    painter.setPen(Qt::NoPen);
    const std::vector<Bar> all = bars();
    for (const Bar &bar : all) {
        painter.setBrush(m_asOf.isEmpty() ? toneColor(toneOf(bar.run.attempt), palette()) : mutedText(palette()));
        painter.drawRoundedRect(bar.place, 1.5, 1.5);
    }
}

TimeRuler WorkerTimeline::ruler() const
{
    const QRectF area = plot();
    const qint64 present = now();
    return {.plot = area,
            .from = present - SpanMs,
            .until = present,
            .end = m_asOf.isEmpty() ? tr("now") : m_asOf,
            .up = area.height()};
}

bool WorkerTimeline::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const QPointF place = static_cast<QHelpEvent *>(event)->pos();
        const std::vector<Bar> all = bars();
        const auto its = std::ranges::find_if(all, [&place](const Bar &bar) { return bar.place.contains(place); });
        setToolTip(its == all.end() ? QString() : plainToolTip(textOf(its->run)));
    }
    return QWidget::event(event);
}

void WorkerTimeline::mousePressEvent(QMouseEvent *event)
{
    const QStringList workers = workersShown();
    for (qsizetype i = 0; i < workers.size(); ++i) {
        if (lineOf(i).contains(QPointF(lineOf(i).center().x(), event->position().y())))
            Q_EMIT chosen(workers[i]);
    }
}

} // namespace drover::gui
