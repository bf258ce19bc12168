#include "gui/pages/schedules/schedules_page.h"

#include "gui/models/schedules/schedule_model.h"
#include "gui/pages/schedules/run_timeline.h"
#include "gui/pages/schedules/week_calendar.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/gateway.h"
#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "gui/widgets/action_button.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/verb_row.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QPushButton>
#include <QStackedWidget>

namespace drover::gui {

using namespace std::chrono_literals;
using Condition = ScheduleModel::Condition;
using Span = RunTimeline::Span;

SchedulesPage::SchedulesPage(ScheduleModel &model, ActionRegistry &actions)
    : TablePage(QStringLiteral("schedules"), tr("Schedules"), new TableView(&model, ScheduleModel::State), actions),
      m_model(model), m_timeline(new RunTimeline(model)), m_calendar(new WeekCalendar(model)),
      m_pictures(new QStackedWidget)
{
    m_pictures->addWidget(m_timeline);
    m_pictures->addWidget(m_calendar);
    QHBoxLayout *const bar = layOut(tr("Filter schedules"), m_pictures);
    auto *const span = new QComboBox;
    span->setAccessibleName(tr("Time line"));
    span->addItem(tr("The next day"), int(Span::Day));
    span->addItem(tr("The next week"), int(Span::Week));
    span->addItem(tr("The next month"), int(Span::Month));
    span->addItem(tr("Calendar of a week"));
    connect(span, &QComboBox::currentIndexChanged, this, [this, span] { showPicture(span->currentData()); });
    bar->addWidget(span);
    table().setAccessibleName(tr("Schedules"));
    table().setColumnWidths({18, 20, 14, 14, 14, 10, 16, 16, 10, 0});
    table().setSpareColumns({ScheduleModel::Queue, ScheduleModel::Zone, ScheduleModel::LastJob, ScheduleModel::Last});
    showEntities(EntityRef::Kind::Schedule, &table());
    makeVerbs();
    auto *const verbs = new VerbRow;
    verbs->add(m_run, {}, tr("Select a schedule"));
    verbs->add(m_edit, {}, tr("Select a schedule"));
    verbs->add(m_pause, {}, tr("Select a schedule that is not paused"));
    verbs->add(m_resume, {}, tr("Select a paused schedule"));
    verbs->add(m_remove, {}, tr("Select a schedule"));
    bar->addWidget(verbs);
    bar->addWidget(new ActionButton(actions.find(QStringLiteral("schedule.add"))));
    connect(&model, &ScheduleModel::shown, this, &SchedulesPage::update);
    connect(table().selectionModel(), &QItemSelectionModel::selectionChanged, this, &SchedulesPage::update);
    const auto choose = [this](int row) { selectRow(m_model.index(row, ScheduleModel::Name).data().toString()); };
    connect(m_timeline, &RunTimeline::chosen, this, choose);
    connect(m_calendar, &WeekCalendar::chosen, this, choose);
    connect(&m_clock, &QTimer::timeout, &model, &ScheduleModel::refresh);
    m_clock.setInterval(1s);
    update();
}

// The time line of a span, or the calendar if there is none.
void SchedulesPage::showPicture(const QVariant &span)
{
    if (span.isValid())
        m_timeline->setSpan(Span(span.toInt()));
    m_pictures->setCurrentWidget(span.isValid() ? static_cast<QWidget *>(m_timeline) : m_calendar);
}

QAction *SchedulesPage::newVerb(const char *name, const QString &text, const trust::Need &need,
                                std::function<void(const jobs::StoredSchedule &schedule)> act)
{
    auto *const verb = new QAction(text, this);
    connect(verb, &QAction::triggered, this, [this, act = std::move(act)] {
        if (const jobs::StoredSchedule *const schedule = current())
            act(*schedule);
    });
    addVerb(name, verb, {}, need);
    return verb;
}

void SchedulesPage::makeVerbs()
{
    using Stored = jobs::StoredSchedule;
    auto *const add = new QAction(lineIcon(QStringLiteral("submit")), tr("&Add a schedule…"), this);
    connect(add, &QAction::triggered, this, &SchedulesPage::addWanted);
    addVerb("schedule.add", add, {}, toChange());
    m_edit = newVerb("schedule.edit", tr("&Change…"), toChange(),
                     [this](const Stored &schedule) { Q_EMIT editWanted(schedule); });
    m_run = newVerb("schedule.run", tr("&Run now"), Gateway::toSubmit(),
                    [this](const Stored &schedule) { Q_EMIT runWanted(schedule.name); });
    m_pause = newVerb("schedule.pause", tr("&Pause"), Gateway::toOperate(),
                      [this](const Stored &schedule) { Q_EMIT pauseWanted(schedule.name); });
    m_resume = newVerb("schedule.resume", tr("R&esume"), Gateway::toOperate(),
                       [this](const Stored &schedule) { Q_EMIT resumeWanted(schedule.name); });
    m_remove = newVerb("schedule.remove", tr("Re&move…"), Gateway::toOperate(),
                       [this](const Stored &schedule) { askToRemove(schedule.name); });
    connect(&table(), &QAbstractItemView::activated, m_edit, &QAction::trigger);
}

const jobs::StoredSchedule *SchedulesPage::current() const
{
    const int row = selectedRow();
    return row < 0 ? nullptr : &m_model.row(row).stored;
}

// Its times and its job are lost, so the button that keeps it is the default.
void SchedulesPage::askToRemove(const QByteArray &name)
{
    auto *const box =
        new QMessageBox(QMessageBox::Question, tr("Remove a schedule"),
                        tr("Remove schedule %1?").arg(text::printable(name)), QMessageBox::NoButton, this);
    box->setInformativeText(tr("It submits no more jobs. Those that it has submitted go on."));
    QPushButton *const remove = box->addButton(tr("&Remove"), QMessageBox::DestructiveRole);
    box->setDefaultButton(box->addButton(tr("&Keep it"), QMessageBox::RejectRole));
    box->setAttribute(Qt::WA_DeleteOnClose);
    showPlainly(*box);
    connect(remove, &QPushButton::clicked, this, [this, name] { Q_EMIT removeWanted(name); });
    box->open();
}

void SchedulesPage::update()
{
    const jobs::StoredSchedule *const schedule = current();
    const bool isReadable = schedule && schedule->entry;
    m_edit->setEnabled(isReadable);
    m_run->setEnabled(isReadable);
    m_pause->setEnabled(isReadable && !schedule->entry->paused);
    m_resume->setEnabled(isReadable && schedule->entry->paused);
    m_remove->setEnabled(schedule);
    const qint64 bad = m_model.count(Condition::Late) + m_model.count(Condition::Malformed);
    const qint64 all = m_model.rowCount();
    if (bad > 0)
        setBadge({shortCount(bad), tr("%1 late or malformed").arg(text::formatCount(bad)), Tone::Bad});
    else
        setBadge({all > 0 ? shortCount(all) : QString(), counted(all, Things::Schedules), Tone::Muted});
}

void SchedulesPage::showState(const ConnectionState &state)
{
    TablePage::showState(state);
    m_timeline->setStale(state.isStale());
    m_calendar->setStale(state.isStale());
}

QString SchedulesPage::whenEmpty(const ConnectionState &state) const
{
    return tr("No schedules.\nAdd one with “Add a schedule…”, or in a terminal: %1 NAME \"0 3 * * *\" -- COMMAND")
        .arg(state.commandFor({QStringLiteral("drover"), QStringLiteral("cron"), QStringLiteral("add")}));
}

void SchedulesPage::activate()
{
    TablePage::activate();
    m_clock.start();
}

void SchedulesPage::deactivate()
{
    TablePage::deactivate();
    m_clock.stop();
}

} // namespace drover::gui
