#pragma once

#include <QStyledItemDelegate>

namespace drover::gui {

// Paints cells in the colour of their ToneRole, and a dot of that colour in one column. An array of jobs has an arrow
// that opens it, and its tasks stand further in (JobFilter::FoldRole). Text is always plain.
class ToneDelegate final : public QStyledItemDelegate
{
    Q_OBJECT

public:
    explicit ToneDelegate(int dotColumn, QObject *parent = nullptr)
        : QStyledItemDelegate(parent), m_dotColumn(dotColumn)
    {
    }

    // Paints all in the colour of what is out of date.
    void setStale(bool stale) { m_stale = stale; }
    bool isStale() const { return m_stale; }

    // The width of the arrow at the left of a cell with a FoldRole.
    static int arrowWidth(const QWidget &widget);
    // The height of the title above the first row of a group, which belongs to the row (GroupRole); 0 above another row.
    static int titleHeight(const QFontMetrics &font, const QModelIndex &index);

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override;

private:
    int m_dotColumn; // -1: none
    bool m_stale = false;
};

} // namespace drover::gui
