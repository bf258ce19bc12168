#pragma once

#include "gui/data/entity.h"

#include <QSet>
#include <QTreeView>

class QMenu;
class QSortFilterProxyModel;

namespace drover::gui {

class EmptyState;
class TableActions;
class ToneDelegate;

// A table of the console. A click on a header sorts it. It selects whole rows, has cells coloured by their tone, and
// explains why it is empty. Menus of its rows and of its header offer what TableActions has.
// Ctrl+click or Enter on a cell that names another thing leads there, and Left and Right go over such cells of a row.
// The menu of a row leads to each thing that it names. Rows have one height, but for the first of a group, above which
// the group's title stands; a click there selects the group.
class TableView final : public QTreeView
{
    Q_OBJECT

public:
    static constexpr int ReadableWidth = 18; // characters

    // A `model` that is a proxy sorts by itself; any other gets a sorting proxy. `dotColumn`: see ToneDelegate.
    TableView(QAbstractItemModel *model, int dotColumn, QWidget *parent = nullptr);

    void say(const QString &whenEmpty);
    // Paints the rows as out of date.
    void setStale(bool stale);
    // Whether the model may have groups (GroupRole). Their titles are laid out anew at each call.
    void setGrouped(bool grouped);
    bool isOnTitle(const QPoint &place) const; // of a group; in the viewport
    // While the table is not seen it neither sorts nor filters what changes; when it is woken it does both at once.
    void setAwake(bool awake);
    // Widths of the columns in characters; a column of width 0 takes the remaining width.
    void setColumnWidths(const QList<int> &characters);
    // Columns that are hidden, from the first on, while the table is too narrow for the column of width 0 to be read.
    // It can be read if it is `readable` characters wide.
    void setSpareColumns(const QList<int> &columns, int readable = ReadableWidth);
    void showColumn(int column, bool shown); // a spare one only while there is room
    // The user's choice, which counts more than the two above.
    void chooseColumn(int column, bool shown);
    const QMap<int, bool> &columnChoices() const { return m_chosen; } // whether each of them is shown
    void setColumnChoices(const QMap<int, bool> &choices);
    void forgetChoices() { setColumnChoices({}); }
    // Shows the rows of which a cell contains the text; for a table that got no proxy.
    void filter(const QString &text);
    // The row of the source model, or -1.
    int sourceRow(const QModelIndex &index) const;
    TableActions &actionsOnRows() const { return *m_actions; }

    // What the current row is; null: no row is current.
    EntityRef currentEntity() const;
    // Makes the row of that entity the current one, now or as soon as there is such a row.
    void select(const EntityRef &entity);
    void addLinks(QMenu &menu, const QModelIndex &index);

    QByteArray saveColumns() const;
    void restoreColumns(const QByteArray &state);

Q_SIGNALS:
    void entityWanted(const drover::gui::EntityRef &entity);
    void currentEntityChanged();
    void columnsChosen(); // by the user, or by setColumnChoices()

protected:
    void drawRow(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    bool viewportEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    void mouseMoveEvent(QMouseEvent *event) override;
    void mouseDoubleClickEvent(QMouseEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;

private:
    void selectGoal();
    void selectGroup(const QModelIndex &first, bool andOthers);
    bool goOverLinks(int step);
    void fitColumns();

    QList<int> m_spare;
    int m_readable = ReadableWidth; // characters
    QSet<int> m_absent; // columns that are of no use now
    QMap<int, bool> m_chosen; // by the user: whether it is shown
    bool m_isTitlePressed = false; // by the last press of a button

    QSortFilterProxyModel *m_proxy;
    ToneDelegate *m_delegate;
    EmptyState *m_empty;
    EntityRef m_goal; // to be selected once it has a row; null: none
    TableActions *m_actions;
};

} // namespace drover::gui
