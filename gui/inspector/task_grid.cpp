#include "gui/inspector/task_grid.h"

#include "gui/inspector/task_mark.h"
#include "gui/widgets/theme.h"

#include <QPainter>
#include <QStyledItemDelegate>

namespace drover::gui {

namespace {

constexpr int MarkSide = 16; // pixels of a mark
constexpr int CellMargin = 2; // around it

class CellDelegate final : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    QSize sizeHint(const QStyleOptionViewItem &, const QModelIndex &) const override
    {
        return {MarkSide + 2 * CellMargin, MarkSide + 2 * CellMargin};
    }
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override
    {
        const QRect square(option.rect.topLeft() + QPoint(CellMargin, CellMargin), QSize(MarkSide, MarkSide));
        paintTaskMark(*painter, square, TaskState(index.data(ArrayModel::StateRole).toInt()), option.palette);
        const bool isMarked = option.state & (QStyle::State_Selected | QStyle::State_HasFocus);
        if (!isMarked && !(option.state & QStyle::State_MouseOver))
            return;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(QPen(isMarked ? focusBorder(option.palette) : fieldBorder(option.palette), isMarked ? 2 : 1));
        painter->drawRoundedRect(QRectF(square).adjusted(-1, -1, 1, 1), 3, 3);
        painter->restore();
    }
};

} // namespace

TaskGrid::TaskGrid(ArrayModel &model, QWidget *parent) : QListView(parent)
{
    setModel(&model);
    setItemDelegate(new CellDelegate(this));
    setFlow(LeftToRight);
    setWrapping(true);
    setResizeMode(Adjust);
    setUniformItemSizes(true);
    setMouseTracking(true);
    setSelectionMode(SingleSelection);
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(NoFrame);
    setAccessibleName(tr("Tasks of the array"));
}

} // namespace drover::gui
