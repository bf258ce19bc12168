#include "gui/widgets/table_view.h"

#include "gui/models/snapshot_model.h"
#include "gui/widgets/empty_state.h"
#include "gui/widgets/tone_delegate.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHeaderView>
#include <QShortcut>
#include <QSortFilterProxyModel>

namespace drover::gui {

namespace {

constexpr int ReadableWidth = 18; // characters of the stretching column
constexpr int HeaderVersion = 3; // of the columns that saveColumns() knows

} // namespace

TableView::TableView(QAbstractItemModel *model, int dotColumn, QWidget *parent) : QTreeView(parent)
{
    m_proxy = qobject_cast<QSortFilterProxyModel *>(model);
    if (!m_proxy) {
        m_proxy = new QSortFilterProxyModel(this);
        m_proxy->setSortRole(SortRole);
        m_proxy->setSourceModel(model);
    }
    setModel(m_proxy);
    m_delegate = new ToneDelegate(dotColumn, this);
    setItemDelegate(m_delegate);
    setRootIsDecorated(false);
    setItemsExpandable(false);
    setUniformRowHeights(true);
    setAlternatingRowColors(true);
    setAllColumnsShowFocus(true);
    setSelectionMode(ExtendedSelection);
    setFrameShape(NoFrame);
    setSortingEnabled(true);
    sortByColumn(0, Qt::AscendingOrder);
    header()->setHighlightSections(false);
    header()->setTextElideMode(Qt::ElideRight);
    m_empty = new EmptyState(this);
    auto *copy = new QShortcut(QKeySequence::Copy, this);
    copy->setContext(Qt::WidgetShortcut);
    connect(copy, &QShortcut::activated, this, &TableView::copySelection);
}

void TableView::say(const QString &whenEmpty)
{
    m_empty->say(whenEmpty);
}

void TableView::setStale(bool stale)
{
    m_delegate->setStale(stale);
    viewport()->update();
}

void TableView::setAwake(bool awake)
{
    m_proxy->setDynamicSortFilter(awake);
    if (awake)
        m_proxy->invalidate();
}

void TableView::setColumnWidths(const QList<int> &characters)
{
    const int character = fontMetrics().averageCharWidth();
    header()->setStretchLastSection(false);
    header()->setMinimumSectionSize(4 * character);
    for (int column = 0; column < characters.size(); ++column) {
        header()->setSectionResizeMode(column,
                                       characters[column] == 0 ? QHeaderView::Stretch : QHeaderView::Interactive);
        if (characters[column] != 0)
            header()->resizeSection(column, characters[column] * character + 12);
    }
}

void TableView::setSpareColumns(const QList<int> &columns)
{
    m_spare = columns;
    fitColumns();
}

void TableView::showColumn(int column, bool shown)
{
    if (shown == !isColumnHidden(column))
        return;
    setColumnHidden(column, !shown);
    fitColumns();
}

void TableView::resizeEvent(QResizeEvent *event)
{
    QTreeView::resizeEvent(event);
    fitColumns();
}

void TableView::fitColumns()
{
    for (const int column : m_spare)
        setColumnHidden(column, false);
    int left = viewport()->width() - ReadableWidth * fontMetrics().averageCharWidth();
    for (int column = 0; column < header()->count(); ++column) {
        if (header()->sectionResizeMode(column) != QHeaderView::Stretch)
            left -= header()->sectionSize(column);
    }
    for (const int column : m_spare) {
        if (left >= 0)
            return;
        left += header()->sectionSize(column);
        setColumnHidden(column, true);
    }
}

int TableView::sourceRow(const QModelIndex &index) const
{
    return m_proxy->mapToSource(index).row();
}

QByteArray TableView::saveColumns() const
{
    return QByteArray::number(HeaderVersion) + ':' + header()->saveState();
}

void TableView::restoreColumns(const QByteArray &state)
{
    const QByteArray version = QByteArray::number(HeaderVersion) + ':';
    if (state.startsWith(version))
        header()->restoreState(state.mid(version.size()));
}

// Tab-separated, as spreadsheets take it.
void TableView::copySelection()
{
    QStringList lines;
    const QModelIndexList rows = selectionModel()->selectedRows();
    for (const QModelIndex &row : rows) {
        QStringList cells;
        for (int column = 0; column < m_proxy->columnCount(); ++column)
            cells.append(row.siblingAtColumn(column).data().toString());
        lines.append(cells.join(u'\t'));
    }
    if (!lines.isEmpty())
        QGuiApplication::clipboard()->setText(lines.join(u'\n'));
}

} // namespace drover::gui
