#include "gui/views/job_scroll.h"

#include "gui/models/job_filter.h"
#include "gui/models/job_model.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/table_view.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>

namespace drover::gui {

namespace {

// A cell of a hidden column has no place.
int shownColumn(const QHeaderView &header)
{
    int place = 0;
    while (place + 1 < header.count() && header.isSectionHidden(header.logicalIndex(place)))
        ++place;
    return header.logicalIndex(place);
}

} // namespace

JobScroll::JobScroll(JobPane &pane, JobModel &model, QObject *parent)
    : QObject(parent), m_model(model), m_pane(pane), m_table(pane.table())
{
    m_table.installEventFilter(this);
    connect(m_table.header(), &QHeaderView::sortIndicatorChanged, this, &JobScroll::updateOrder);
    connect(&pane, &JobPane::groupingChanged, this, &JobScroll::updateOrder);
    connect(&model, &JobModel::aboutToShow, this, &JobScroll::hold);
    connect(&model, &JobModel::shown, this, &JobScroll::restore);
    connect(m_table.verticalScrollBar(), &QScrollBar::valueChanged, this, &JobScroll::look);
    updateOrder();
}

// Elsewhere in the table what comes next does not stand at the end.
void JobScroll::updateOrder()
{
    const QHeaderView &header = *m_table.header();
    m_model.setInOrder(m_pane.grouping() == Grouping::None
                       && JobModel::orderOf(header.sortIndicatorSection(), header.sortIndicatorOrder()));
}

// A job that has ended stays where it is in the order, and an unfinished one may not. A table that shows its beginning
// goes on to show it.
void JobScroll::hold()
{
    QSet<jobs::JobId> selected;
    const QModelIndexList rows = m_table.selectionModel()->selectedRows();
    for (const QModelIndex &index : rows) {
        if (const JobRow &job = m_model.row(m_table.sourceRow(index)); jobs::isFinal(job.state))
            selected.insert(job.id);
    }
    m_model.keep(selected);

    m_isChanging = true;
    m_held = QModelIndex();
    const bool isAtBeginning = m_table.verticalScrollBar()->value() == 0 && m_model.snapshot().pastDropped == 0;
    if (isAtBeginning || m_awaitsFirst || !m_table.isVisible())
        return;
    const auto moves = [this](const QModelIndex &index) {
        const JobRow &job = m_model.row(m_table.sourceRow(index));
        return !jobs::isFinal(job.state) || !job.loaded;
    };
    QModelIndex index = m_table.indexAt({0, 0});
    const bool isPerItem = m_table.verticalScrollMode() == QAbstractItemView::ScrollPerItem;
    const int top = index.row();
    while (index.isValid() && moves(index))
        index = m_table.visualRect(index).bottom() < m_table.viewport()->height() ? m_table.indexBelow(index)
                                                                                  : QModelIndex();
    m_held = index;
    m_below = isPerItem ? index.row() - top : m_table.visualRect(index).top();
}

void JobScroll::restore()
{
    if (std::exchange(m_awaitsFirst, m_awaitsFirst && m_model.snapshot().pastDropped > 0) && !m_awaitsFirst)
        goToFirst();
    if (m_held.isValid()) {
        const int across = m_table.horizontalScrollBar()->value();
        m_table.scrollTo(m_held, QAbstractItemView::PositionAtTop);
        m_table.verticalScrollBar()->setValue(m_table.verticalScrollBar()->value() - m_below);
        m_table.horizontalScrollBar()->setValue(across);
        m_held = QModelIndex();
    }
    m_isChanging = false;
    look();
}

void JobScroll::goToFirst()
{
    m_table.selectionModel()->setCurrentIndex(m_table.model()->index(0, 0),
                                              QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    m_table.scrollToTop();
}

// The rows of the model stand in the order in which they came.
QModelIndex JobScroll::indexOf(const jobs::JobId &id) const
{
    for (int row = id.queue.isEmpty() ? -1 : m_model.rowCount() - 1; row >= 0; --row) {
        if (m_model.row(row).id == id)
            return static_cast<const JobFilter &>(*m_table.model())
                .mapFromSource(m_model.index(row, shownColumn(*m_table.header())));
    }
    return {};
}

// In the order of the history the next jobs come behind it. Jobs that ended at one time may have another order in the
// history than in the table. Invalid: the next jobs may come anywhere.
QModelIndex JobScroll::lastWalked() const
{
    QModelIndex last = m_model.isInOrder() ? indexOf(m_model.snapshot().pastLast) : QModelIndex();
    const auto since = [this](const QModelIndex &index) { return m_model.row(m_table.sourceRow(index)).since; };
    for (QModelIndex next = last; next.isValid() && since(next) == since(last); next = m_table.indexBelow(next))
        last = next;
    return last;
}

// More is asked for before it comes into sight. Below the last job that was walked past others may stand: unfinished
// ones, or those that were archived a moment ago. While these alone are in sight no more is asked for. It would come
// above them, page after page.
void JobScroll::look()
{
    if (m_isChanging || m_awaitsFirst || !m_table.isVisible())
        return;
    const int height = m_table.viewport()->height();
    if (m_model.canFetchMore({})) {
        const QModelIndex walked = lastWalked();
        const QAbstractItemModel &rows = *m_table.model();
        const QModelIndex last = rows.index(rows.rowCount() - 1, shownColumn(*m_table.header()));
        const QRect end = m_table.visualRect(walked.isValid() ? walked : last);
        if (end.top() < 2 * height && (end.bottom() >= 0 || !walked.isValid()))
            m_model.fetchMore({});
    }
    const JobsSnapshot &jobs = m_model.snapshot();
    const QModelIndex first = jobs.pastDropped > 0 ? indexOf(jobs.pastFirst) : QModelIndex();
    const QRect place = m_table.visualRect(first);
    if (first.isValid() && place.bottom() > -height && place.top() < height)
        m_model.fetchEarlier();
}

bool JobScroll::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::KeyPress) {
        const auto *const key = static_cast<QKeyEvent *>(event);
        if (key->key() == Qt::Key_Home && !(key->modifiers() & Qt::ShiftModifier)
            && m_model.snapshot().pastDropped > 0) {
            m_awaitsFirst = true;
            m_model.fetchFirst();
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace drover::gui
