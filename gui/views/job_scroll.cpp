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

// More is asked for before it comes into sight.
void JobScroll::look()
{
    if (m_isChanging || m_awaitsFirst || !m_table.isVisible())
        return;
    const auto &order = static_cast<const JobFilter &>(*m_table.model());
    const int height = m_table.viewport()->height();
    const int column = shownColumn(*m_table.header());
    const QRect last = m_table.visualRect(order.index(order.rowCount() - 1, column));
    if (last.top() < 2 * height)
        m_model.fetchMore({});
    const JobsSnapshot &jobs = m_model.snapshot();
    for (int row = 0; jobs.pastDropped > 0 && row < m_model.rowCount(); ++row) {
        if (m_model.row(row).id != jobs.pastFirst)
            continue;
        const QRect first = m_table.visualRect(order.mapFromSource(m_model.index(row, column)));
        if (first.isValid() && first.bottom() > -height && first.top() < height)
            m_model.fetchEarlier();
        return;
    }
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
