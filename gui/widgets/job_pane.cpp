#include "gui/widgets/job_pane.h"

#include "gui/models/job_filter.h"
#include "gui/models/job_model.h"
#include "gui/models/job_verbs.h"
#include "gui/text/format.h"
#include "gui/widgets/action_button.h"
#include "gui/widgets/job_summary.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/tone_delegate.h"
#include "gui/widgets/verb_row.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSettings>
#include <QVBoxLayout>

namespace drover::gui {

using jobs::JobState;

namespace {

constexpr std::chrono::milliseconds TypingTime{120};

struct StateChoice {
    QString name;
    std::set<JobState> states;
};

QList<StateChoice> stateChoices()
{
    return {
        {JobPane::tr("All states"), {}},
        {JobPane::tr("Unfinished"), {JobState::Held, JobState::Waiting, JobState::Ready, JobState::Running}},
        {jobStateText(JobState::Running), {JobState::Running}},
        {jobStateText(JobState::Ready), {JobState::Ready}},
        {jobStateText(JobState::Waiting), {JobState::Waiting}},
        {jobStateText(JobState::Held), {JobState::Held}},
        {JobPane::tr("Ended"), {JobState::Succeeded, JobState::Failed, JobState::Cancelled}},
        {jobStateText(JobState::Succeeded), {JobState::Succeeded}},
        {jobStateText(JobState::Failed), {JobState::Failed}},
        {jobStateText(JobState::Cancelled), {JobState::Cancelled}},
    };
}

} // namespace

JobPane::JobPane(JobModel &model, QWidget *parent)
    : QWidget(parent), m_model(model), m_filter(new JobFilter(this)), m_states(new QComboBox), m_text(new QLineEdit),
      m_tasks(new QCheckBox(tr("&Tasks"))), m_summary(elidingLabel()), m_bar(new QHBoxLayout),
      m_repeat(new QAction(this)), m_repeatFailed(new QAction(tr("Submit what has &failed again…"), this)),
      m_details(new QAction(tr("&Details"), this))
{
    m_filter->setSourceModel(&model);
    makeVerbs();
    m_table = new TableView(m_filter, JobModel::State);
    makeFolding();
    m_table->setAccessibleName(tr("Jobs"));
    m_table->setColumnWidths({23, 16, 15, 0, 16, 24, 11, 12, 5, 6});
    m_table->showColumn(JobModel::Comment, false);
    m_table->showColumn(JobModel::WaitsFor, false);
    m_table->setSpareColumns(
        {JobModel::Comment, JobModel::Attempt, JobModel::Exit, JobModel::Since, JobModel::Worker, JobModel::WaitsFor});
    for (const StateChoice &choice : stateChoices())
        m_states->addItem(choice.name);
    m_states->setMaxVisibleItems(m_states->count());
    m_states->setAccessibleName(tr("States to show"));
    m_text->setPlaceholderText(tr("Filter jobs: state:failed queue:gpu"));
    m_text->setToolTip(plainToolTip(
        tr("Shows the jobs whose id, name, command or worker contains the words (Ctrl+F).\n"
           "Conditions may stand between the words: state:failed queue:gpu name:nightly-* tag:TAG submitter:USER "
           "worker:WORKER.\n"
           "since:2h and until:2024-05-01 find jobs that ended in that time.\n"
           "They may be written as options of drover ls and history, too: --state failed --since 2h.")));
    m_text->setAccessibleName(tr("Filter jobs"));
    m_text->setClearButtonEnabled(true);
    m_text->setMinimumWidth(fontMetrics().averageCharWidth() * 26); // "Filter jobs: state:failed" can be read
    m_text->setMaximumWidth(fontMetrics().averageCharWidth() * 48);
    m_tasks->setToolTip(tr("Shows the tasks of arrays, too"));
    m_summary->setForegroundRole(QPalette::PlaceholderText);

    m_bar->setContentsMargins(8, 6, 8, 6);
    m_bar->setSpacing(8);
    m_bar->addWidget(m_states);
    m_bar->addWidget(m_text, 10);
    m_bar->addWidget(m_tasks);
    m_bar->addWidget(m_summary);
    m_bar->addStretch(1);
    m_bar->addWidget(makeVerbRow());
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(m_bar);
    column->addWidget(m_table, 1);

    connect(m_states, &QComboBox::currentIndexChanged, this, &JobPane::filter);
    connect(m_text, &QLineEdit::textChanged, this, &JobPane::filter);
    connect(m_tasks, &QCheckBox::toggled, this, &JobPane::filter);
    connect(m_table->header(), &QHeaderView::sortIndicatorChanged, this, &JobPane::sort);
    m_typing.setSingleShot(true);
    connect(&m_typing, &QTimer::timeout, this, [this] { Q_EMIT searchWanted(m_search); });
    connect(m_details, &QAction::triggered, this, [this] { openDetails(m_table->currentIndex()); });
    connect(m_repeat, &QAction::triggered, this, [this] { Q_EMIT repeatWanted(selectedEnded()); });
    connect(m_repeatFailed, &QAction::triggered, this, [this] { Q_EMIT repeatFailedWanted(selectedFailed()); });
    connect(m_table, &QAbstractItemView::activated, this, &JobPane::openDetails);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &JobPane::updateActions);
    connect(&model, &JobModel::shown, this, [this] {
        m_table->showColumn(JobModel::Comment, m_model.hasComments());
        m_table->showColumn(JobModel::WaitsFor, m_model.hasWaits());
        if (grouping() != Grouping::None)
            m_table->setGrouped(true);
        updateActions();
        updateSummary();
    });
    updateActions();
    updateSummary();
}

void JobPane::find(const jobs::JobId &job)
{
    m_states->setCurrentIndex(0);
    m_tasks->setChecked(m_tasks->isChecked() || job.isTask());
    m_text->setText(job.toString());
}

void JobPane::offerSubmit(QAction *submit)
{
    m_bar->addWidget(new ActionButton(submit));
}

void JobPane::offerViews(QWidget *button)
{
    m_bar->insertWidget(0, button);
}

void JobPane::makeVerbs()
{
    m_menuOnAll = new QMenu(tr("On a&ll jobs that fit the filter"), this);
    for (const JobVerb::Kind kind : jobVerbs()) {
        m_verbsOnAll[kind] = m_menuOnAll->addAction(tr("%1 all jobs that fit the filter…", "verb").arg(titleOf(kind)));
        connect(m_verbsOnAll[kind], &QAction::triggered, this,
                [this, kind] { Q_EMIT verbOnAllWanted(kind, m_search); });
        m_verbs[kind] = new QAction(this);
        connect(m_verbs[kind], &QAction::triggered, this, [this, kind] { Q_EMIT verbWanted(kind, selectedFor(kind)); });
    }
    m_repeatAll = m_menuOnAll->addAction(tr("Submit all ended jobs of the table again…"));
    connect(m_repeatAll, &QAction::triggered, this, [this] {
        if (const QList<jobs::JobId> ended = endedInTable(); !ended.isEmpty())
            Q_EMIT repeatWanted(ended);
    });
}

QList<jobs::JobId> JobPane::endedInTable() const
{
    QList<jobs::JobId> ended;
    for (int row = 0; row < m_filter->rowCount(); ++row) {
        const JobRow &job = m_model.row(m_table->sourceRow(m_filter->index(row, 0)));
        if (jobs::isFinal(job.state))
            ended.append(job.id);
    }
    return ended;
}

void JobPane::makeFolding()
{
    m_fold = new QAction(tr("&Open or close the array"), this);
    m_fold->setToolTip(tr("Its tasks stand below it, those that failed first (Right, Left)"));
    connect(m_fold, &QAction::triggered, this, [this] {
        const QModelIndex current = m_table->currentIndex();
        if (current.isValid())
            fold(current, m_filter->foldOf(m_model.row(m_table->sourceRow(current)).id) == JobFilter::Fold::Closed);
    });
    m_table->installEventFilter(this);
    m_table->viewport()->installEventFilter(this);
}

QWidget *JobPane::makeVerbRow()
{
    auto *const row = new VerbRow;
    row->add(m_verbs.at(JobVerb::Kind::Cancel), {}, tr("Select jobs that have not ended"));
    row->add(m_verbs.at(JobVerb::Kind::Hold), tr("Hold…"), tr("Select jobs that have not begun"));
    row->add(m_verbs.at(JobVerb::Kind::Release), tr("Release…"), tr("Select jobs that are held"));
    return row;
}

// An array, or the array of a task, which gets the focus when it is closed.
void JobPane::fold(const QModelIndex &index, bool open)
{
    const jobs::JobId id = m_model.row(m_table->sourceRow(index)).id;
    if (!m_filter->foldOf(id))
        return;
    if (id.isTask() && !open) {
        for (int row = index.row(); row > 0 && m_model.row(m_table->sourceRow(m_table->currentIndex())).id.isTask();)
            m_table->setCurrentIndex(index.siblingAtRow(--row));
    }
    m_filter->setOpen(id.array(), open);
    m_table->scrollTo(m_table->currentIndex());
}

bool JobPane::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress && watched == m_table) {
        const int key = static_cast<QKeyEvent *>(event)->key();
        const QModelIndex current = m_table->currentIndex();
        const auto state = current.isValid() ? m_filter->foldOf(m_model.row(m_table->sourceRow(current)).id)
                                             : std::optional<JobFilter::Fold>();
        const bool opens = key == Qt::Key_Right && state == JobFilter::Fold::Closed;
        const bool closes = key == Qt::Key_Left && state && state != JobFilter::Fold::Closed
            && current.data(LinkRole).isNull(); // there Left leads back to the row
        if (opens || closes) {
            fold(current, opens);
            return true;
        }
    }
    if (event->type() == QEvent::MouseButtonPress && watched == m_table->viewport()) {
        const QPoint place = static_cast<QMouseEvent *>(event)->pos();
        const QModelIndex index = m_table->indexAt(place);
        const bool isOnArrow = index.column() == JobModel::Id && !m_table->isOnTitle(place)
            && place.x() - m_table->visualRect(index).left() < ToneDelegate::arrowWidth(*m_table);
        const auto state =
            isOnArrow ? m_filter->foldOf(m_model.row(m_table->sourceRow(index)).id) : std::optional<JobFilter::Fold>();
        if (state == JobFilter::Fold::Closed || state == JobFilter::Fold::Open) {
            fold(index, state == JobFilter::Fold::Closed);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void JobPane::sayWhenEmpty(const QString &text)
{
    m_whenEmpty = text;
    updateEmptyState();
}

void JobPane::updateEmptyState()
{
    m_table->say(m_filter->isFiltering() && m_model.rowCount() > 0 ? JobSummary::noneFits(m_model) : m_whenEmpty);
}

void JobPane::choose(const std::set<JobState> &states)
{
    const QList<StateChoice> choices = stateChoices();
    for (qsizetype i = 0; i < choices.size(); ++i) {
        if (choices[i].states == states)
            m_states->setCurrentIndex(int(i));
    }
}

bool JobPane::offers(const std::set<JobState> &states)
{
    const QList<StateChoice> choices = stateChoices();
    return std::any_of(choices.begin(), choices.end(), [&](const auto &choice) { return choice.states == states; });
}

void JobPane::setSearch(const JobSearch &search)
{
    choose(search.states);
    m_tasks->setChecked(search.tasks);
    m_text->setText(search.text);
}

Grouping JobPane::grouping() const
{
    return m_filter->grouping();
}

void JobPane::group(Grouping by)
{
    m_filter->group(by);
    m_table->setGrouped(by != Grouping::None);
    m_table->scrollTo(m_table->currentIndex());
    updateSummary();
    Q_EMIT groupingChanged();
}

void JobPane::focusFilter()
{
    m_text->setFocus(Qt::ShortcutFocusReason);
    m_text->selectAll();
}

void JobPane::filter()
{
    m_search = {m_text->text().trimmed(), stateChoices().at(m_states->currentIndex()).states, m_tasks->isChecked()};
    m_filter->search(m_search);
    m_typing.start(TypingTime);
    updateSummary();
    Q_EMIT filterChanged();
}

// The first in the new order stand where the table begins.
void JobPane::sort()
{
    const QHeaderView &header = *m_table->header();
    const auto order = JobModel::orderOf(header.sortIndicatorSection(), header.sortIndicatorOrder());
    Q_EMIT orderWanted(order.value_or(JobOrder{}));
    m_table->scrollToTop();
    updateSummary();
}

void JobPane::saveFilter(QSettings &settings) const
{
    settings.setValue(QStringLiteral("filter/text"), m_search.text);
    settings.setValue(QStringLiteral("filter/states"), m_states->currentIndex());
    settings.setValue(QStringLiteral("filter/tasks"), m_search.tasks);
    settings.setValue(QStringLiteral("filter/group"), groupingName(grouping()));
}

void JobPane::restoreFilter(const QSettings &settings)
{
    const int states = settings.value(QStringLiteral("filter/states")).toInt();
    m_states->setCurrentIndex(states >= 0 && states < m_states->count() ? states : 0);
    m_tasks->setChecked(settings.value(QStringLiteral("filter/tasks")).toBool());
    m_text->setText(settings.value(QStringLiteral("filter/text")).toString());
    group(groupingNamed(settings.value(QStringLiteral("filter/group")).toString()));
}

void JobPane::updateSummary()
{
    updateEmptyState();
    const QHeaderView &header = *m_table->header();
    const bool isSorted = JobModel::orderOf(header.sortIndicatorSection(), header.sortIndicatorOrder()).has_value();
    m_summary->setText(JobSummary::text(m_model,
                                        {.isFiltering = m_filter->isFiltering(),
                                         .isHistorySorted = isSorted,
                                         .isGrouped = grouping() != Grouping::None}));
    m_summary->setToolTip(plainToolTip(JobSummary::toolTip(m_model.snapshot())));
}

QList<jobs::JobId> JobPane::selectedWhere(const std::function<bool(const JobRow &)> &fits) const
{
    QList<jobs::JobId> selected;
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    for (const QModelIndex &index : rows) {
        if (const JobRow &job = m_model.row(m_table->sourceRow(index)); fits(job))
            selected.append(job.id);
    }
    return selected;
}

QList<jobs::JobId> JobPane::selectedEnded() const
{
    return selectedWhere([](const JobRow &job) { return jobs::isFinal(job.state); });
}

// Tasks of an array may have failed while others run.
QList<jobs::JobId> JobPane::selectedFailed() const
{
    return selectedWhere(
        [](const JobRow &job) { return job.state == JobState::Failed || job.progress.contains(u','); });
}

QList<jobs::JobId> JobPane::selectedFor(JobVerb::Kind kind) const
{
    return selectedWhere([kind](const JobRow &job) { return JobVerb{kind}.suits(job); });
}

void JobPane::updateActions()
{
    for (const auto &[kind, action] : m_verbs) {
        const QList<jobs::JobId> suitable = selectedFor(kind);
        action->setEnabled(!suitable.isEmpty());
        action->setText(suitable.isEmpty() ? tr("%1 jobs…", "verb").arg(titleOf(kind))
                                           : tr("%1 %2…", "verb, jobs").arg(titleOf(kind), jobsText(suitable)));
    }
    const QModelIndex current = m_table->currentIndex();
    m_details->setEnabled(current.isValid());
    m_fold->setEnabled(current.isValid() && m_filter->foldOf(m_model.row(m_table->sourceRow(current)).id).has_value());
    const QList<jobs::JobId> ended = selectedEnded();
    m_repeatFailed->setEnabled(!selectedFailed().isEmpty());
    m_repeat->setEnabled(!ended.isEmpty());
    m_repeat->setText(ended.isEmpty()         ? tr("Submit &again…")
                          : ended.size() == 1 ? tr("Submit %1 &again…").arg(ended.front().toString())
                                              : tr("Submit %1 jobs &again…").arg(ended.size()));
}

void JobPane::openDetails(const QModelIndex &index)
{
    if (index.isValid())
        Q_EMIT detailsWanted(m_model.row(m_table->sourceRow(index)).id);
}

} // namespace drover::gui
