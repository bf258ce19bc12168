#include "gui/pages/replay/replay_page.h"

#include "gui/pages/replay/time_line.h"
#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/table_view.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QComboBox>
#include <QDateTimeEdit>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QTabWidget>
#include <QToolButton>

#include <algorithm>

namespace drover::gui {

namespace {

constexpr qint64 Minute = 60'000;

QString nameOf(const Target &target)
{
    return target.connect + u' ' + QString::fromUtf8(target.cluster);
}

} // namespace

ReplayPage::ReplayPage()
    : Page(QStringLiteral("replay"), tr("Replay")), m_when(new QDateTimeEdit), m_range(new QComboBox),
      m_remark(elidingLabel()), m_notice(new Notice), m_bar(new QWidget), m_line(new TimeLine),
      m_beginning(new QWidget), m_start(new QPushButton(tr("&Start recording"))), m_tabs(new QTabWidget)
{
    layOut();
    addTable(tr("Jobs"), m_models.jobs, JobModel::State, {15, 16, 15, 0, 16, 18, 11, 15, 5, 6});
    m_tables.back()->setSpareColumns({JobModel::Attempt, JobModel::Exit, JobModel::Since});
    addTable(tr("Queues"), m_models.queues, QueueTable::Queue, {24, 12, 10, 10, 10, 10, 10, 10, 0});
    for (const auto column : {QueueTable::Oldest, QueueTable::Came, QueueTable::Left}) // they are not recorded
        m_tables.back()->showColumn(column, false);
    addTable(tr("Locks"), m_models.locks, LockModel::Place, {26, 16, 15, 0, 20, 13, 9, 13});
    m_tables.back()->setSpareColumns({LockModel::Session, LockModel::Since});
    m_tables.back()->setTextElideMode(Qt::ElideMiddle);
    m_tables.back()->showColumn(LockModel::For, false); // it would be that of now
    addTable(tr("Workers"), m_models.workers, WorkerModel::Worker, {18, 20, 12, 0, 16, 10, 16, 12, 8});
    m_tables.back()->setSpareColumns({WorkerModel::Pid, WorkerModel::Since, WorkerModel::Labels, WorkerModel::Memory});
    addTable(tr("Znodes"), m_models.znodes, ListingModel::Path, {36, 10, 10, 0});
    addTable(tr("Events"), m_models.events, EventModel::Event, {12, 18, 22, 12, 12, 0});
    m_tables.back()->setSpareColumns({EventModel::Queue, EventModel::State});
    connect(m_line, &TimeLine::momentChosen, this, &ReplayPage::goTo);
    connect(m_line, &TimeLine::sinceChosen, this, &ReplayPage::setSince);
    connect(m_when, &QDateTimeEdit::dateTimeChanged, this,
            [this](const QDateTime &when) { goTo(when.toMSecsSinceEpoch()); });
    connect(m_tabs, &QTabWidget::currentChanged, this, &ReplayPage::wakeTables);
    connect(m_range, &QComboBox::currentIndexChanged, this, &ReplayPage::updateRange);
    say();
}

void ReplayPage::layOut()
{
    const auto button = [this](const QString &icon, const QString &text, const auto signal) {
        auto *const step = new QToolButton;
        step->setIcon(lineIcon(icon));
        step->setAutoRaise(true);
        step->setToolTip(plainToolTip(text));
        step->setAccessibleName(text);
        connect(step, &QToolButton::clicked, this, [this, signal] { Q_EMIT(this->*signal)(++m_request, m_at); });
        return step;
    };
    m_when->setDisplayFormat(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz"));
    m_when->setCalendarPopup(true);
    m_when->setAccessibleName(tr("Moment"));
    m_range->setAccessibleName(tr("Time line"));
    m_range->addItem(tr("10 minutes"), 10 * Minute);
    m_range->addItem(tr("1 hour"), 60 * Minute);
    m_range->addItem(tr("1 day"), 24 * 60 * Minute);
    m_range->addItem(tr("All of it"), 0);
    m_remark->setForegroundRole(QPalette::PlaceholderText);
    auto *const bar = new QHBoxLayout(m_bar);
    bar->setContentsMargins(8, 6, 8, 0);
    bar->setSpacing(8);
    bar->addWidget(button(QStringLiteral("back"), tr("To the change before"), &ReplayPage::previousWanted));
    bar->addWidget(m_when);
    bar->addWidget(button(QStringLiteral("forward"), tr("To the next change"), &ReplayPage::nextWanted));
    bar->addWidget(m_range);
    bar->addWidget(m_remark, 1);
    auto *const beginning = new QHBoxLayout(m_beginning);
    beginning->setContentsMargins(8, 6, 8, 6);
    beginning->addWidget(m_start);
    beginning->addStretch(1);
    connect(m_start, &QPushButton::clicked, this, &ReplayPage::recordWanted);
    m_tabs->setDocumentMode(true);
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_notice);
    column->addWidget(m_bar);
    column->addWidget(m_line);
    column->addWidget(m_beginning);
    column->addWidget(m_tabs, 1);
}

TableView *ReplayPage::addTable(const QString &title, QAbstractItemModel &model, int dotColumn,
                                const QList<int> &widths)
{
    auto *const table = new TableView(&model, dotColumn);
    table->setAccessibleName(title);
    table->setColumnWidths(widths);
    connect(table, &TableView::entityWanted, this, &Page::entityWanted);
    m_tabs->addTab(table, title);
    m_tables.push_back(table);
    return table;
}

QWidget *ReplayPage::mainPart() const
{
    return m_status.spans.isEmpty() ? static_cast<QWidget *>(m_start) : m_line;
}

void ReplayPage::activate()
{
    if (m_at == 0 && !m_status.spans.isEmpty())
        goTo(m_status.spans.last().until);
    updateRange();
    wakeTables();
}

void ReplayPage::deactivate()
{
    wakeTables();
}

// A table that is not seen neither sorts nor filters.
void ReplayPage::wakeTables()
{
    for (TableView *const table : m_tables)
        table->setAwake(isAwake() && table == m_tabs->currentWidget());
}

void ReplayPage::showState(const ConnectionState &) { }

void ReplayPage::saveTo(QSettings &settings) const
{
    settings.setValue(QStringLiteral("recorded"), QStringList(m_wanted.begin(), m_wanted.end()));
    settings.setValue(QStringLiteral("range"), m_range->currentIndex());
}

void ReplayPage::restoreFrom(const QSettings &settings)
{
    const QStringList wanted = settings.value(QStringLiteral("recorded")).toStringList();
    m_wanted = QSet<QString>(wanted.begin(), wanted.end());
    const int range = settings.value(QStringLiteral("range")).toInt();
    m_range->setCurrentIndex(range >= 0 && range < m_range->count() ? range : 0);
}

bool ReplayPage::isWanted(const Target &target) const
{
    return m_wanted.contains(nameOf(target));
}

void ReplayPage::setWanted(const Target &target, bool wanted)
{
    if (wanted == isWanted(target))
        return;
    if (wanted)
        m_wanted.insert(nameOf(target));
    else
        m_wanted.remove(nameOf(target));
    Q_EMIT wantedChanged();
}

void ReplayPage::showStatus(const RecordingStatus &status)
{
    if (status.target != m_status.target) {
        m_at = m_since = 0;
        m_moment = {};
        m_models.show(m_moment);
    }
    m_status = status;
    setBadge({status.isRecording ? QStringLiteral("●") : QString(), status.isRecording ? tr("recording") : QString(),
              Tone::Bad});
    m_line->showSpans(status.spans);
    if (m_at == 0 && isAwake() && !status.spans.isEmpty())
        goTo(status.spans.last().until);
    updateRange();
    say();
}

void ReplayPage::goTo(qint64 at)
{
    if (at == m_at)
        return;
    const qint64 distance = m_at > 0 ? m_at - m_since : qint64(UsualSince.count());
    m_at = at;
    m_since = at - distance;
    update();
    ask();
}

void ReplayPage::setSince(qint64 since)
{
    m_since = std::min(since, m_at);
    update();
    ask();
}

void ReplayPage::update()
{
    m_line->setHandles(m_since, m_at);
    const QSignalBlocker quiet(m_when);
    m_when->setDateTime(QDateTime::fromMSecsSinceEpoch(m_at));
    updateRange();
}

// The range that holds the moment.
void ReplayPage::updateRange()
{
    if (m_status.spans.isEmpty())
        return;
    const qint64 first = m_status.spans.first().from;
    const qint64 last = m_status.spans.last().until;
    const qint64 chosen = m_range->currentData().toLongLong();
    const qint64 length = chosen > 0 ? chosen : std::max<qint64>(last - first, Minute);
    const bool isInside =
        m_line->until() - m_line->from() == length && m_at >= m_line->from() && m_at <= m_line->until();
    qint64 until = m_at >= last - length ? last : m_at + length / 2;
    if (isInside) // it stays as it is, or goes on with the recording
        until = m_line->until() == m_end ? last : m_line->until();
    m_end = last;
    m_line->setRange(until - length, until);
}

void ReplayPage::ask()
{
    m_askAgain = m_isAsking;
    if (std::exchange(m_isAsking, true))
        return;
    Q_EMIT momentWanted(++m_request, m_at, m_since);
}

void ReplayPage::showMoment(int, const Moment &moment)
{
    m_isAsking = false;
    if (m_askAgain)
        ask();
    m_moment = moment;
    m_models.show(moment);
    m_tables.front()->showColumn(JobModel::Comment, m_models.jobs.hasComments());
    m_tables.front()->showColumn(JobModel::WaitsFor, m_models.jobs.hasWaits());
    say();
    Q_EMIT shown();
}

void ReplayPage::showFound(int request, qint64 at)
{
    if (request == m_request && at > 0)
        goTo(at);
}

// From when to when, if the moment lies between two spans.
QString ReplayPage::gapText() const
{
    qint64 before = 0;
    qint64 after = 0;
    for (const RecordedSpan &span : m_status.spans) {
        if (span.until < m_moment.at)
            before = span.until;
        if (span.from > m_moment.at && after == 0)
            after = span.from;
    }
    if (before == 0 && after == 0)
        return tr("This moment was not recorded.");
    if (before == 0)
        return tr("Nothing was recorded before %1.").arg(formatInstant(after));
    if (after == 0)
        return tr("Nothing was recorded after %1.").arg(formatInstant(before));
    return tr("Nothing was recorded between %1 and %2: what happened then is not known.")
        .arg(formatInstant(before), formatInstant(after));
}

void ReplayPage::say()
{
    const bool isGap = m_moment.at > 0 && !m_moment.isRecorded;
    m_notice->say(isGap && m_status.trouble.isEmpty() ? gapText() : text::printable(m_status.trouble));
    const QString nothing = m_status.spans.isEmpty()
        ? tr("Nothing has been recorded yet.\nPress “Start recording” above, or “Record” in the line at the bottom.")
        : isGap ? tr("This moment was not recorded.")
                : tr("There was none.");
    for (TableView *const table : m_tables)
        table->say(nothing);
    for (QWidget *const part : std::initializer_list<QWidget *>{m_bar, m_line})
        part->setVisible(!m_status.spans.isEmpty());
    m_beginning->setVisible(m_status.spans.isEmpty());
    m_start->setEnabled(!m_status.isOn && !m_status.target.connect.isEmpty());
    QStringList parts;
    if (m_moment.isRecorded)
        parts << (m_moment.hasMoreEvents ? tr("the last %1 of the events").arg(m_moment.events.size())
                                         : counted(m_moment.events.size(), Things::Events)
                          + tr(" recorded since %1").arg(formatSince(m_since)));
    if (!m_status.spans.isEmpty())
        parts << tr("%1 of at most 256 MiB and seven days").arg(text::formatSize(m_status.bytes));
    m_remark->setText(parts.join(QStringLiteral("  ·  ")));
    m_remark->setToolTip(plainToolTip(m_remark->text()));
}

} // namespace drover::gui
