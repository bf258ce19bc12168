#include "gui/pages/schedules/week_calendar.h"

#include "gui/kit/lanes.h"
#include "gui/models/schedules/schedule_model.h"
#include "gui/text/format.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"

#include <QDateTime>
#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>

namespace drover::gui {

namespace {

constexpr std::size_t MostLines = 4; // schedules that run often and have a line
constexpr int Edge = 8; // pixels
constexpr qint64 DayLength = 24 * 3'600'000;

} // namespace

struct WeekCalendar::Frame {
    QRectF head; // the names of the days
    QRectF lines; // schedules that run often
    QRectF hours; // the grid
    qint64 begin = 0; // midnight of today; ms of the Unix epoch

    QRectF column(int day) const
    {
        const qreal width = hours.width() / Days;
        return {hours.left() + width * day, hours.top(), width, hours.height()};
    }
};

WeekCalendar::WeekCalendar(const ScheduleModel &model, QWidget *parent) : QWidget(parent), m_model(model)
{
    setAutoFillBackground(true);
    setBackgroundRole(QPalette::Base);
    setAccessibleName(tr("Calendar of the next runs"));
    connect(&model, &ScheduleModel::shown, this, &WeekCalendar::describe);
}

void WeekCalendar::setStale(bool stale)
{
    m_stale = stale;
    update();
}

// For those who do not see it.
void WeekCalendar::describe()
{
    if (!isVisible())
        return;
    QStringList lines;
    const std::vector<Entry> all = entries();
    for (const Entry &entry : all)
        lines << textOf(entry);
    setAccessibleDescription(lines.join(u'\n'));
    update();
}

QString WeekCalendar::textOf(const Entry &entry) const
{
    const QString name = text::printable(m_model.row(entry.row).stored.name);
    return tr("%1: %2", "schedule, time")
        .arg(name,
             entry.at > 0 ? formatInstant(entry.at).section(u'.', 0, 0)
                          : m_model.index(entry.row, ScheduleModel::When).data().toString());
}

WeekCalendar::Frame WeekCalendar::frame(std::size_t lines) const
{
    const int high = fontMetrics().height();
    const int hours = fontMetrics().horizontalAdvance(QStringLiteral("00:00")) + 10;
    Frame frame;
    frame.head = QRectF(Edge + hours, Edge, width() - 2 * Edge - hours, high + 4);
    frame.lines = QRectF(frame.head.left(), frame.head.bottom(), frame.head.width(), qreal(lines) * (high + 4));
    frame.hours = QRectF(frame.head.left(), frame.lines.bottom() + high / 2.0, frame.head.width(), 0);
    frame.hours.setBottom(std::max<qreal>(frame.hours.top() + 24, height() - Edge - high / 2.0));
    frame.begin = QDate::currentDate().startOfDay().toMSecsSinceEpoch();
    return frame;
}

// Side by side where they would cover each other.
void WeekCalendar::layDay(std::vector<Entry> &day, const Frame &frame) const
{
    const qreal high = fontMetrics().height() + 2;
    std::vector<std::pair<qreal, qreal>> stretches;
    for (const Entry &entry : day)
        stretches.emplace_back(entry.place.top(), entry.place.top() + high);
    const std::vector<Lane> lanes = inLanes(stretches);
    for (std::size_t i = 0; i < day.size(); ++i) {
        const qreal wide = frame.column(0).width() / qreal(lanes[i].count);
        const QPointF corner(day[i].place.left() + qreal(lanes[i].number) * wide, day[i].place.top());
        day[i].place = QRectF(corner, QSizeF(wide, high)).adjusted(1, 0, -1, 0);
    }
}

std::vector<WeekCalendar::Entry> WeekCalendar::entries() const
{
    std::vector<std::pair<int, std::vector<qint64>>> runs; // by row of the model
    std::vector<int> often;
    const qint64 end = QDate::currentDate().addDays(Days).startOfDay().toMSecsSinceEpoch();
    for (int row = 0; row < m_model.rowCount(); ++row) {
        std::vector<qint64> its = m_model.runsUntil(row, end - 1, Often * Days + 1);
        if (its.size() > Often * Days)
            often.push_back(row);
        else
            runs.emplace_back(row, std::move(its));
    }
    const std::size_t lines = std::min(often.size(), MostLines);
    const Frame frame = this->frame(lines);
    std::vector<Entry> all;
    for (std::size_t i = 0; i < lines; ++i) {
        const qreal high = fontMetrics().height() + 4;
        all.push_back({often[i], 0,
                       QRectF(frame.lines.left(), frame.lines.top() + qreal(i) * high, frame.lines.width(), high)
                           .adjusted(1, 1, -1, -1)});
    }
    std::vector<std::vector<Entry>> days(Days);
    for (const auto &[row, its] : runs) {
        for (const qint64 at : its) {
            const QDateTime local = QDateTime::fromMSecsSinceEpoch(at);
            const qint64 day = QDate::currentDate().daysTo(local.date());
            if (day < 0 || day >= Days)
                continue;
            const QRectF column = frame.column(int(day));
            const qreal share = qreal(local.time().msecsSinceStartOfDay()) / qreal(DayLength);
            days[std::size_t(day)].push_back(
                {row, at, QRectF(column.left(), column.top() + share * column.height(), 0, 0)});
        }
    }
    for (std::vector<Entry> &day : days) {
        std::stable_sort(day.begin(), day.end(), [](const Entry &a, const Entry &b) { return a.at < b.at; });
        layDay(day, frame);
        all.insert(all.end(), day.begin(), day.end());
    }
    return all;
}

void WeekCalendar::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    describe();
}

void WeekCalendar::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const std::vector<Entry> all = entries();
    const auto isLine = [](const Entry &entry) { return entry.at == 0; };
    paintGrid(painter, frame(std::size_t(std::count_if(all.begin(), all.end(), isLine))));
    for (const Entry &entry : all)
        paintEntry(painter, entry);
}

void WeekCalendar::paintGrid(QPainter &painter, const Frame &frame) const
{
    const QFontMetrics metrics = fontMetrics();
    const QDate today = QDate::currentDate();
    for (int day = 0; day < Days; ++day) {
        const QRectF column = frame.column(day);
        painter.setPen(gridColor(palette()));
        painter.drawLine(column.topLeft(), column.bottomLeft());
        const QRectF title(column.left(), frame.head.top(), column.width(), frame.head.height());
        const QString name =
            QLocale().toString(today.addDays(day), tr("ddd d", "weekday and day, as QDateTime has them"));
        painter.setPen(day == 0 ? palette().color(QPalette::Text) : mutedText(palette()));
        painter.drawText(title, Qt::AlignCenter, day == 0 ? tr("Today") : name);
    }
    const int step = frame.hours.height() / 8 < metrics.height() + 4 ? 6 : 3; // hours
    for (int hour = 0; hour <= 24; hour += step) {
        const qreal y = std::round(frame.hours.top() + frame.hours.height() * hour / 24) + 0.5;
        painter.setPen(gridColor(palette()));
        painter.drawLine(QPointF(frame.hours.left(), y), QPointF(frame.hours.right(), y));
        painter.setPen(mutedText(palette()));
        painter.drawText(QRectF(0, y - metrics.height() / 2.0, frame.hours.left() - 8, metrics.height()),
                         Qt::AlignRight | Qt::AlignVCenter, QTime(hour % 24, 0).toString(QStringLiteral("HH:mm")));
    }
    const qreal share = qreal(QTime::currentTime().msecsSinceStartOfDay()) / qreal(DayLength);
    const qreal now = std::round(frame.hours.top() + share * frame.hours.height()) + 0.5;
    painter.setPen(QPen(toneColor(Tone::Bad, palette()), 1.5));
    painter.drawLine(QPointF(frame.column(0).left(), now), QPointF(frame.column(0).right(), now));
}

void WeekCalendar::paintEntry(QPainter &painter, const Entry &entry) const
{
    const QColor color = m_stale ? mutedText(palette()) : seriesColor(entry.row % 8, palette());
    QColor fill = color;
    fill.setAlphaF(0.18F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(fill);
    painter.drawRoundedRect(entry.place, 3, 3);
    painter.fillRect(QRectF(entry.place.left(), entry.place.top(), 3, entry.place.height()), color);
    const QString name = text::printable(m_model.row(entry.row).stored.name);
    painter.setPen(m_stale ? mutedText(palette()) : palette().color(QPalette::Text));
    const QRectF inner = entry.place.adjusted(7, 0, -2, 0);
    QString text = entry.at > 0 ? QDateTime::fromMSecsSinceEpoch(entry.at).toString(QStringLiteral("HH:mm ")) + name
                                : textOf(entry);
    if (entry.at > 0 && fontMetrics().horizontalAdvance(text) > inner.width())
        text = name; // where it stands says when
    if (inner.width() > 12)
        painter.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(text, Qt::ElideRight, int(inner.width())));
}

const WeekCalendar::Entry *WeekCalendar::entryAt(const std::vector<Entry> &all, const QPointF &place) const
{
    const auto its =
        std::find_if(all.begin(), all.end(), [&place](const Entry &entry) { return entry.place.contains(place); });
    return its == all.end() ? nullptr : &*its;
}

bool WeekCalendar::event(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        const std::vector<Entry> all = entries();
        const Entry *const entry = entryAt(all, static_cast<QHelpEvent *>(event)->pos());
        setToolTip(entry ? plainToolTip(textOf(*entry)) : QString());
    }
    return QWidget::event(event);
}

void WeekCalendar::mousePressEvent(QMouseEvent *event)
{
    const std::vector<Entry> all = entries();
    if (const Entry *const entry = entryAt(all, event->position()))
        Q_EMIT chosen(entry->row);
}

} // namespace drover::gui
