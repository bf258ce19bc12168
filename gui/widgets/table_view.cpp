#include "gui/widgets/table_view.h"

#include "gui/models/snapshot_model.h"
#include "gui/text/entity_text.h"
#include "gui/widgets/empty_state.h"
#include "gui/widgets/table_actions.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/tone_delegate.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QSortFilterProxyModel>
#include <QToolTip>

namespace drover::gui {

namespace {

constexpr int HeaderVersion = 6; // of the columns that saveColumns() knows

QList<EntityRef> entitiesAt(const QModelIndex &index)
{
    return index.data(EntitiesRole).value<QList<EntityRef>>();
}

// The title of the group that begins with that row, and how many rows it has.
void paintTitle(QPainter &painter, const QRect &place, const QModelIndex &row, const QWidget &table, bool isStale)
{
    constexpr int Side = 8;
    const QPalette &palette = table.palette();
    painter.save();
    painter.fillRect(place, palette.color(QPalette::Window));
    painter.setPen(gridColor(palette));
    painter.drawLine(place.topLeft(), place.topRight());
    painter.drawLine(place.bottomLeft(), place.bottomRight());
    QFont bold = table.font();
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(isStale ? mutedText(palette) : palette.color(QPalette::Text));
    const QString size = row.data(GroupSizeRole).toString();
    const QFontMetrics plainMetrics = table.fontMetrics();
    const QRect room = place.adjusted(Side, 0, -Side, 0);
    const QString title = QFontMetrics(bold).elidedText(row.data(GroupRole).toString(), Qt::ElideRight,
                                                        room.width() - plainMetrics.horizontalAdvance(size) - Side);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, title);
    painter.setFont(table.font());
    painter.setPen(mutedText(palette));
    painter.drawText(room.adjusted(QFontMetrics(bold).horizontalAdvance(title) + Side, 0, 0, 0),
                     Qt::AlignLeft | Qt::AlignVCenter, size);
    painter.restore();
}

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
    m_actions = new TableActions(*this);
    connect(m_proxy, &QAbstractItemModel::rowsInserted, this, &TableView::selectGoal);
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

void TableView::setGrouped(bool grouped)
{
    setUniformRowHeights(!grouped);
    scheduleDelayedItemsLayout();
}

bool TableView::isOnTitle(const QPoint &place) const
{
    const QModelIndex index = indexAt(place);
    return !uniformRowHeights() && index.isValid()
        && place.y() < visualRect(index).top() + ToneDelegate::titleHeight(fontMetrics(), index);
}

void TableView::drawRow(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const int height = uniformRowHeights() ? 0 : ToneDelegate::titleHeight(fontMetrics(), index);
    QStyleOptionViewItem row = option;
    row.rect.setTop(option.rect.top() + height);
    if (height > 0)
        paintTitle(*painter, {option.rect.left(), option.rect.top(), option.rect.width(), height}, index, *this,
                   m_delegate->isStale());
    QTreeView::drawRow(painter, row, index);
}

void TableView::selectGroup(const QModelIndex &first, bool andOthers)
{
    int last = first.row();
    while (last + 1 < m_proxy->rowCount() && !m_proxy->index(last + 1, 0).data(GroupRole).isValid())
        ++last;
    selectionModel()->setCurrentIndex(first.siblingAtColumn(0), QItemSelectionModel::NoUpdate);
    selectionModel()->select({first.siblingAtColumn(0), m_proxy->index(last, 0)},
                             (andOthers ? QItemSelectionModel::Select : QItemSelectionModel::ClearAndSelect)
                                 | QItemSelectionModel::Rows);
}

bool TableView::viewportEvent(QEvent *event)
{
    if (event->type() == QEvent::ToolTip) {
        auto *const help = static_cast<QHelpEvent *>(event);
        if (isOnTitle(help->pos())) {
            QToolTip::showText(help->globalPos(), tr("A click selects the jobs of this group"), this);
            return true;
        }
    }
    return QTreeView::viewportEvent(event);
}

void TableView::setAwake(bool awake)
{
    m_proxy->setDynamicSortFilter(awake);
    if (awake)
        m_proxy->invalidate();
    else
        m_goal = {}; // the user has gone elsewhere
}

EntityRef TableView::currentEntity() const
{
    return entitiesAt(currentIndex()).value(0);
}

void TableView::select(const EntityRef &entity)
{
    m_goal = entity;
    selectGoal();
}

void TableView::selectGoal()
{
    for (int row = 0; !m_goal.isNull() && row < m_proxy->rowCount(); ++row) {
        const QModelIndex index = m_proxy->index(row, 0);
        if (entitiesAt(index).value(0) != m_goal)
            continue;
        // Whatever keys are held: with Ctrl, which follows a link, the view would take the row out of the selection.
        selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        scrollTo(index);
        m_goal = {};
    }
}

void TableView::currentChanged(const QModelIndex &current, const QModelIndex &previous)
{
    QTreeView::currentChanged(current, previous);
    if (current.isValid())
        m_goal = {};
    if (current.row() != previous.row())
        Q_EMIT currentEntityChanged();
}

void TableView::addLinks(QMenu &menu, const QModelIndex &index)
{
    const QList<EntityRef> others = entitiesAt(index).mid(1);
    for (const EntityRef &entity : others)
        menu.addAction(tr("Go to %1", "a thing of the cluster").arg(entityText(entity)), this,
                       [this, entity] { Q_EMIT entityWanted(entity); });
}

void TableView::mousePressEvent(QMouseEvent *event)
{
    m_isTitlePressed = isOnTitle(event->pos());
    if (m_isTitlePressed)
        return selectGroup(indexAt(event->pos()), event->modifiers() & Qt::ControlModifier);
    const auto link = indexAt(event->pos()).data(LinkRole).value<EntityRef>();
    if (event->button() == Qt::LeftButton && event->modifiers() == Qt::ControlModifier && !link.isNull())
        Q_EMIT entityWanted(link);
    else
        QTreeView::mousePressEvent(event);
}

// A hand that trembles on a title does not drag over rows.
void TableView::mouseMoveEvent(QMouseEvent *event)
{
    if (!m_isTitlePressed || event->buttons() == Qt::NoButton)
        QTreeView::mouseMoveEvent(event);
}

// It opens a row, and a title is none.
void TableView::mouseDoubleClickEvent(QMouseEvent *event)
{
    if (!isOnTitle(event->pos()))
        QTreeView::mouseDoubleClickEvent(event);
}

void TableView::keyPressEvent(QKeyEvent *event)
{
    const auto link = currentIndex().data(LinkRole).value<EntityRef>();
    const bool isPlain = !(event->modifiers() & ~Qt::KeypadModifier);
    const int key = event->key();
    if (isPlain && (key == Qt::Key_Return || key == Qt::Key_Enter) && !link.isNull())
        return Q_EMIT entityWanted(link);
    if (isPlain && (key == Qt::Key_Left || key == Qt::Key_Right) && goOverLinks(key == Qt::Key_Right ? 1 : -1))
        return;
    QTreeView::keyPressEvent(event);
}

// To the next cell of the row that leads somewhere; back from the first of them to the row itself. False: there is
// none.
bool TableView::goOverLinks(int step)
{
    const QModelIndex now = currentIndex();
    if (!now.isValid())
        return false;
    const bool isOnLink = !now.data(LinkRole).value<EntityRef>().isNull();
    int place = isOnLink ? header()->visualIndex(now.column()) : -1;
    for (place += step; place >= 0 && place < header()->count(); place += step) {
        const QModelIndex cell = now.siblingAtColumn(header()->logicalIndex(place));
        if (isColumnHidden(cell.column()) || cell.data(LinkRole).value<EntityRef>().isNull())
            continue;
        selectionModel()->setCurrentIndex(cell, QItemSelectionModel::NoUpdate);
        scrollTo(cell);
        return true;
    }
    if (!isOnLink || step > 0)
        return false;
    selectionModel()->setCurrentIndex(now.siblingAtColumn(0), QItemSelectionModel::NoUpdate);
    return true;
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
            header()->resizeSection(column, characters[column] * character + 18);
    }
}

void TableView::setSpareColumns(const QList<int> &columns, int readable)
{
    m_spare = columns;
    m_readable = readable;
    fitColumns();
}

void TableView::showColumn(int column, bool shown)
{
    if (shown != m_absent.contains(column))
        return;
    if (shown)
        m_absent.remove(column);
    else
        m_absent.insert(column);
    fitColumns();
}

void TableView::chooseColumn(int column, bool shown)
{
    m_chosen[column] = shown;
    fitColumns();
    Q_EMIT columnsChosen();
}

void TableView::setColumnChoices(const QMap<int, bool> &choices)
{
    m_chosen = choices;
    fitColumns();
    Q_EMIT columnsChosen();
}

void TableView::filter(const QString &text)
{
    m_proxy->setFilterKeyColumn(-1); // all
    m_proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_proxy->setFilterFixedString(text);
}

void TableView::resizeEvent(QResizeEvent *event)
{
    QTreeView::resizeEvent(event);
    fitColumns();
}

void TableView::contextMenuEvent(QContextMenuEvent *event)
{
    const bool byKey = event->reason() == QContextMenuEvent::Keyboard;
    m_actions->openMenu(byKey ? viewport()->mapToGlobal(visualRect(currentIndex()).bottomLeft()) : event->globalPos(),
                        byKey ? currentIndex() : indexAt(event->pos()));
}

void TableView::fitColumns()
{
    int left = viewport()->width() - m_readable * fontMetrics().averageCharWidth();
    for (int column = 0; column < header()->count(); ++column) {
        setColumnHidden(column, !m_chosen.value(column, !m_absent.contains(column)));
        if (header()->sectionResizeMode(column) != QHeaderView::Stretch)
            left -= header()->sectionSize(column);
    }
    for (const int column : m_spare) {
        if (left >= 0)
            return;
        if (m_chosen.contains(column))
            continue;
        left += header()->sectionSize(column);
        setColumnHidden(column, true);
    }
}

int TableView::sourceRow(const QModelIndex &index) const
{
    return m_proxy->mapToSource(index).row();
}

// "4:2-,5+:" and the state of the header: the column 2 is hidden by the user, 5 is shown.
QByteArray TableView::saveColumns() const
{
    QByteArrayList choices;
    for (auto choice = m_chosen.cbegin(); choice != m_chosen.cend(); ++choice)
        choices << QByteArray::number(choice.key()) + (choice.value() ? '+' : '-');
    return QByteArray::number(HeaderVersion) + ':' + choices.join(',') + ':' + header()->saveState();
}

void TableView::restoreColumns(const QByteArray &state)
{
    const QByteArray version = QByteArray::number(HeaderVersion) + ':';
    const qsizetype colon = state.indexOf(':', version.size());
    if (!state.startsWith(version) || colon < 0)
        return;
    m_chosen.clear();
    const QByteArrayList choices = state.mid(version.size(), colon - version.size()).split(',');
    for (const QByteArray &choice : choices) {
        const int column = choice.isEmpty() ? -1 : choice.chopped(1).toInt();
        if (column >= 0 && column < header()->count())
            m_chosen[column] = choice.endsWith('+');
    }
    header()->restoreState(state.mid(colon + 1));
    fitColumns();
    Q_EMIT columnsChosen();
}

} // namespace drover::gui
